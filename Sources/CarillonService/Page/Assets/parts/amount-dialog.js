// Asks how much was done, and for a note about it.

import { done } from '../core/actions.js';
import { h } from '../core/dom.js';
import { draft, forgetDraft, keepDraft } from '../core/drafts.js';
import { amount } from '../core/words.js';
import { dialog } from './dialog.js';

/** Asks how much of a counted habit was done on a date. */
export function askAmount(habit, date) {
  const left = habit.direction === 'atMost' ? 0 : (habit.target ?? 0) - (habit.amount ?? 0);
  const draftName = `amount ${habit.id} ${date}`;
  const typed = draft(draftName);
  const number = h('input', {
    type: 'number', min: '0', step: 'any', required: true, inputmode: 'decimal', autofocus: true,
    value: typed?.number ?? (left > 0 ? amount(left) : '1'),
  });
  const note = h('input', {
    type: 'text', maxlength: '2000', dir: 'auto', value: typed?.note ?? '',
  });
  const keep = () => keepDraft(draftName, { number: number.value, note: note.value });
  const form = h(
    'form', { oninput: keep },
    h('label', { class: 'field' }, habit.unit ? `How many ${habit.unit}?` : 'How much?', number),
    h('label', { class: 'field' }, 'Note (optional)', note),
    h('div', { class: 'buttons' }, h('button', { class: 'button primary' }, 'Record')),
  );
  const box = dialog(habit.title, form, 'small');
  number.select();
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const options = { date, amount: Math.round(number.value * 1000) };
    if (note.value) options.note = note.value;
    box.close();
    if (await done(habit, options)) forgetDraft(draftName);
  });
}
