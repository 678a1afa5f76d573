// What a view says when it has nothing to show: why, and what to do next.

import { h } from '../core/dom.js';
import { canChange } from '../core/session.js';

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

/** The text for a store without habits. */
export const noHabits = () =>
  canChange()
    ? empty(
      'There are no habits yet. Add one here, or join a device that has them.',
      ['Add a habit', '#/habits/new'], ['Devices', '#/devices'])
    : empty('There are no habits yet. They appear here once somebody adds one.');
