// What a view says when it or the device shows nothing: why, and what to do next.

import { h } from '../core/dom.js';
import { canChange, isOwner } from '../core/session.js';

/**
 * Creates the text.
 *
 * @param next What can be done next: `[text, address]`, the first one most likely.
 */
export const empty = (text, ...next) =>
  h(
    'div', { class: 'empty' }, h('p', {}, text),
    h('div', { class: 'buttons' }, next.map(([words, href], index) =>
      h('a', { class: index === 0 ? 'button primary' : 'button', href }, words))),
  );

/** The notice that this device shows no reminders. */
export const remindersOff = () =>
  h(
    'p', { class: 'notice' }, 'Reminders are off on this device. ',
    canChange() && h('a', { href: '#/devices' }, 'Turn them on'),
  );

/** The text for a store without habits. */
export function noHabits() {
  const first = 'There are no habits yet.';
  if (!canChange()) return empty(`${first} They appear here once somebody adds one.`);
  const add = ['Add a habit', '#/habits/new'];
  if (!isOwner()) return empty(first, add);
  return empty(
    `${first} Add one here, or invite your phone: what you add there appears here after a sync.`,
    add, ['Invite a device', '#/devices']);
}
