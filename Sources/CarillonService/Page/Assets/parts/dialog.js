// A modal window with a heading. The browser keeps the focus in it, and Esc closes it.

import { h } from '../core/dom.js';
import { icon } from '../core/icons.js';

/**
 * Opens a window.
 *
 * @param title Its heading.
 * @param content Its elements.
 * @param className A class for its size.
 * @returns The element, which `close()` closes.
 */
export function dialog(title, content, className = '') {
  const closeBox = () => box.close();
  const heading = h('h2', { id: 'dialog-title', dir: 'auto' }, title);
  const close = h(
    'button',
    { type: 'button', class: 'icon-button', 'aria-label': 'Close', onclick: closeBox },
    icon('close'),
  );
  const box = h(
    'dialog', { class: `dialog ${className}`, 'aria-labelledby': 'dialog-title' },
    h('div', { class: 'dialog-head' }, heading, close),
    h('div', { class: 'dialog-body' }, content),
  );
  // Another view closes it too. What was typed is a draft by then.
  addEventListener('hashchange', closeBox);
  box.addEventListener('close', () => {
    removeEventListener('hashchange', closeBox);
    box.remove();
  });
  // A press beside the window closes it, and one that ends there does not.
  box.addEventListener('mousedown', (event) => event.target === box && closeBox());
  document.body.append(box);
  box.showModal();
  box.querySelector('[autofocus]')?.focus();
  return box;
}

/**
 * Asks before something that cannot be taken back.
 *
 * @returns Whether the person confirmed.
 */
export function confirmed(title, text, verb) {
  return new Promise((resolve) => {
    let answer = false;
    const yes = h('button', { type: 'button', class: 'button danger' }, verb);
    const no = h('button', { type: 'button', class: 'button', autofocus: true }, 'Cancel');
    const box = dialog(title, [h('p', {}, text), h('div', { class: 'buttons' }, no, yes)], 'small');
    yes.addEventListener('click', () => {
      answer = true;
      box.close();
    });
    no.addEventListener('click', () => box.close());
    box.addEventListener('close', () => resolve(answer));
  });
}
