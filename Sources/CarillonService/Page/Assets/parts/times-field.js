// Times of a day, any number of them.

import { h } from '../core/dom.js';
import { icon } from '../core/icons.js';

const mostTimes = 24;

/** Creates the field; `times()` returns the times in order, each once. */
export function timesField(first) {
  const inputs = h('span', { class: 'times' });
  const add = h(
    'button', { type: 'button', class: 'icon-button', 'aria-label': 'Add a time' }, icon('plus'),
  );
  const append = (value) => {
    const input = h('input', {
      type: 'time', value, required: true, 'aria-label': `Time ${inputs.childElementCount + 1}`,
    });
    const remove = h('button', {
      type: 'button', class: 'icon-button', 'aria-label': 'Remove this time',
      onclick: () => {
        box.remove();
        changed();
        add.focus();
      },
    }, icon('close'));
    const box = h('span', { class: 'time-box' }, input, remove);
    inputs.append(box);
    return input;
  };
  const changed = () => element.dispatchEvent(new Event('input', { bubbles: true }));
  add.addEventListener('click', () => {
    if (inputs.childElementCount >= mostTimes) return;
    append('').focus();
  });
  const element = h(
    'div', { class: 'field', role: 'group', 'aria-label': 'Times' },
    h('span', { class: 'field-label', 'aria-hidden': 'true' }, 'At'),
    h('span', { class: 'times-line' }, inputs, add),
  );
  first.forEach(append);
  return {
    element,
    times: () => [...new Set([...inputs.querySelectorAll('input')].map((one) => one.value))]
      .filter((value) => value !== '').sort(),
  };
}
