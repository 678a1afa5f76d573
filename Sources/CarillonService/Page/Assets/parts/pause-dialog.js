// Asks for the dates of a pause.

import { pause } from '../core/actions.js';
import { h } from '../core/dom.js';
import { dialog } from './dialog.js';

/** Asks from when to when a habit pauses. */
export function askPause(habit, today) {
  const from = h('input', { type: 'date', value: today, required: true });
  const to = h('input', { type: 'date', min: today });
  const form = h(
    'form', {},
    h('label', { class: 'field' }, 'From', from),
    h('label', { class: 'field' }, 'To (empty: until you end it)', to),
    h('div', { class: 'buttons' }, h('button', { class: 'button primary' }, 'Pause')),
  );
  const box = dialog(`Pause ${habit.title}`, form, 'small');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    box.close();
    pause(habit, to.value ? { from: from.value, to: to.value } : { from: from.value });
  });
}
