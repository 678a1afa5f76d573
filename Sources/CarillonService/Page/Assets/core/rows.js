// Keys for rows of habits: the arrows move, and letters act on the row that has the focus.

import { isPlain } from './keys.js';

/**
 * Moves between the rows of an element, and acts on the row with the focus.
 *
 * @param acts Functions by key, called with the row's element.
 * @returns A function that ends it.
 */
export function rowKeys(container, acts = {}) {
  const listener = (event) => {
    if (!isPlain(event)) return;
    const rows = [...container.querySelectorAll('[data-row]')].filter(isShown);
    const row = event.target.closest('[data-row]');
    const index = rows.indexOf(row);
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step && !row) focusRow(rows.find(isInView));
    else if (step) focusRow(rows[Math.max(0, Math.min(rows.length - 1, index + step))]);
    else if (row && acts[event.key]) acts[event.key](row);
    else return;
    event.preventDefault();
  };
  document.addEventListener('keydown', listener);
  return () => document.removeEventListener('keydown', listener);
}

/** Focuses the first control of a row. */
export const focusRow = (row) => row?.querySelector('[data-first], button, a')?.focus();

/** Focuses the row of a habit, if there is one. */
export const focusHabit = (id) =>
  focusRow([...document.querySelectorAll('[data-habit]')].find((row) => row.dataset.habit === id));

/**
 * Does something with a row, and moves the focus to the row that takes its place if the row
 * leaves its list.
 */
export async function keepingPlace(container, row, work) {
  const hadFocus = row.contains(document.activeElement);
  const parent = row.parentElement;
  const neighbors = [row.nextElementSibling, row.previousElementSibling];
  await work();
  if (!hadFocus || (row.isConnected && row.parentElement === parent)) return;
  focusRow(neighbors.find((one) => one?.isConnected) ?? container.querySelector('[data-row]'));
}

const isShown = (row) => row.offsetParent !== null;
const isInView = (row) => row.getBoundingClientRect().top >= 0;
