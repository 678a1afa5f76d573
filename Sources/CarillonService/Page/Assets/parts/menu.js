// A menu below a button: the arrows move in it, Esc closes it.

import { h, setVariables } from '../core/dom.js';
import { icon } from '../core/icons.js';

let openMenu = null;

/**
 * Creates a button that opens a menu.
 *
 * @param label The button's name.
 * @param items Returns the items when it opens: `{text, icon, run}`.
 */
export function menuButton(label, items) {
  const button = h(
    'button',
    {
      type: 'button', class: 'icon-button', 'aria-label': label, 'aria-haspopup': 'menu',
      'aria-expanded': 'false',
      onclick: () => (openMenu?.button === button ? close(true) : open(button, label, items())),
    },
    icon('more'),
  );
  return button;
}

function open(button, label, items) {
  close(false);
  const entries = items.map((item) =>
    h(
      'button',
      { type: 'button', role: 'menuitem', tabindex: '-1', onclick: () => choose(item) },
      icon(item.icon), item.text,
    ),
  );
  const element = h('div', { role: 'menu', class: 'menu', 'aria-label': label }, entries);
  element.addEventListener('keydown', (event) => moved(event, entries));
  button.setAttribute('aria-expanded', 'true');
  document.body.append(element);
  openMenu = { button, element };
  place(button, element);
  entries[0]?.focus({ preventScroll: true });
  document.addEventListener('pointerdown', outside);
  addEventListener('scroll', scrolled);
}

// Above the button if there is no room below it.
function place(button, element) {
  const box = button.getBoundingClientRect();
  const isAbove = innerHeight - box.bottom < element.offsetHeight + 80;
  const top = isAbove ? box.top - element.offsetHeight : box.bottom;
  setVariables(element, {
    '--top': `${Math.max(8, top)}px`,
    '--left': `${Math.max(8, box.right - element.offsetWidth)}px`,
  });
}

function moved(event, entries) {
  const index = entries.indexOf(document.activeElement);
  const target = {
    ArrowDown: (index + 1) % entries.length, Home: 0, End: entries.length - 1,
    ArrowUp: (index - 1 + entries.length) % entries.length,
  }[event.key];
  if (target !== undefined) entries[target].focus();
  else if (event.key === 'Escape') close(true);
  else if (event.key === 'Tab') return close(true);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function choose(item) {
  close(true);
  item.run();
}

function outside(event) {
  if (openMenu && !openMenu.element.contains(event.target) && event.target !== openMenu.button
    && !openMenu.button.contains(event.target)) close(false);
}

const scrolled = () => close(true);

function close(returnsFocus) {
  if (!openMenu) return;
  const { button, element } = openMenu;
  openMenu = null;
  document.removeEventListener('pointerdown', outside);
  removeEventListener('scroll', scrolled);
  element.remove();
  button.setAttribute('aria-expanded', 'false');
  if (returnsFocus) button.focus({ preventScroll: true });
}
