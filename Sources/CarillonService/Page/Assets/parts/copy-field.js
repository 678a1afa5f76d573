// A text to copy, with the button that copies it.

import { h } from '../core/dom.js';
import { speak } from '../core/messages.js';

/** Creates the field. */
export function copyField(label, text) {
  const input = h('input', {
    type: 'text', readonly: true, value: text, dir: 'ltr', spellcheck: 'false',
    onfocus: () => input.select(),
  });
  const button = h('button', { type: 'button', class: 'button', onclick: copy }, 'Copy');
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
      speak('Copied');
    } catch {
      // The browser refused; the text is selected, to be copied by hand.
      input.focus();
    }
  }
  return h(
    'div', { class: 'copy-field' }, h('label', { class: 'field' }, label, input), button,
  );
}
