// What a person does with a habit. Each act says what it did, and how to take it back.

import { Unreachable, change } from './api.js';
import { isOffline, setOffline } from './connection.js';
import { refresh } from './documents.js';
import { showMessage, showProblem } from './messages.js';
import { amount } from './words.js';

/**
 * Does something, says so, and offers to take it back.
 *
 * @param text The message, or a function that makes it from the answer.
 * @param work Sends the change.
 * @param undo Takes the change back; null if that is not possible.
 * @returns Whether it was done.
 */
export async function act(text, work, undo = null) {
  if (isOffline()) {
    showProblem({
      message: 'not possible while offline', hint: 'start the service again, and repeat it',
    });
    return false;
  }
  try {
    const answer = await work();
    const takeBack = undo && (() => act('Taken back', () => undo(answer)));
    showMessage(typeof text === 'function' ? text(answer) : text, takeBack);
    await refresh();
    return true;
  } catch (error) {
    if (error instanceof Unreachable) setOffline();
    showProblem(error);
    return false;
  }
}

const path = (habit, rest = '') => `/v1/habits/${encodeURIComponent(habit.id)}${rest}`;
const post = (habit, verb, body = {}) => change('POST', path(habit, `/${verb}`), body);

/** Records that a habit was done, once or by an amount in thousandths. */
export const done = (habit, options = {}) =>
  act(
    options.amount ? `${habit.title}: ${amount(options.amount)} recorded` : `${habit.title}: done`,
    () => post(habit, 'done', options),
    (answer) => post(habit, 'undo', { date: answer.date }),
  );

/** Takes back what was recorded last for a date. */
export const undo = (habit, date) =>
  act(`${habit.title}: taken back`, () => post(habit, 'undo', { date }));

/** Marks a date as not due. */
export const skip = (habit, date) =>
  act(
    `${habit.title}: skipped`,
    () => post(habit, 'skip', { date }),
    (answer) => post(habit, 'undo', { date: answer.date ?? date }),
  );

/** Moves the last reminder. */
export const snooze = (habit, minutes) =>
  act(
    (answer) => {
      const at = answer.snoozed?.fireAt;
      return at ? `${habit.title}: snoozed until ${at.slice(11, 16)}` : `${habit.title}: snoozed`;
    },
    () => post(habit, 'snooze', { minutes }),
    () => post(habit, 'snooze', { off: true }),
  );

/** Writes a note on a date; an empty one removes it. */
export const note = (habit, date, text, before) => {
  const write = (value) => change('PUT', path(habit, `/notes/${date}`), { text: value || null });
  return act(
    text ? `${habit.title}: note saved` : `${habit.title}: note removed`,
    () => write(text),
    () => write(before),
  );
};

/** Removes one entry. */
export const removeEntry = (habit, entry) =>
  act(
    `${habit.title}: entry removed`,
    () => change('DELETE', path(habit, `/entries/${entry.entry}`)),
    () => {
      const again = { date: entry.date, at: entry.at, note: entry.note };
      if (habit.kind === 'count') again.amount = entry.amount;
      return post(habit, 'done', withoutNulls(again));
    },
  );

// The habit was there before, so another of its title does not keep it away.
const unarchived = (habit) => post(habit, 'unarchive?again=true');
const restored = (habit) => post(habit, 'restore?again=true');
const deleted = (habit) => change('DELETE', path(habit));

/** Archives a habit. */
export const archive = (habit) =>
  act(`${habit.title}: archived`, () => post(habit, 'archive'), () => unarchived(habit));

/** Shows an archived habit again. */
export const unarchive = (habit) =>
  act(`${habit.title}: shown again`, () => unarchived(habit), () => post(habit, 'archive'));

/** Deletes a habit, so that it can be restored. */
export const remove = (habit) =>
  act(`${habit.title}: deleted`, () => deleted(habit), () => restored(habit));

/** Restores a deleted habit. */
export const restore = (habit) =>
  act(`${habit.title}: restored`, () => restored(habit), () => deleted(habit));

/** Pauses the reminders of a habit. */
export const pause = (habit, dates) =>
  act(`${habit.title}: paused`, () => post(habit, 'pause', dates), () => post(habit, 'resume'));

/** Ends the pauses of a habit. */
export const resume = (habit) => act(`${habit.title}: resumed`, () => post(habit, 'resume'));

const withoutNulls = (members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
