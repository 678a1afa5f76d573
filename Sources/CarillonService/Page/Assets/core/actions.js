// What a person does with a habit. Each act says what it did, and how to take it back.

import { Unreachable, change, read, readLines } from './api.js';
import { isOffline, setOffline } from './connection.js';
import { refresh } from './documents.js';
import { showMessage, showProblem } from './messages.js';
import { focusHabit } from './rows.js';
import { addDays, clock } from './times.js';
import { amount, sentence } from './words.js';

/**
 * Does something, says so, and offers to take it back.
 *
 * @param text The message, or a function that makes it from the answer.
 * @param work Sends the change; null is its answer if the person decided against it.
 * @param inverse Returns what takes back exactly that change, made from the answer; null if the
 *   answer wrote nothing, or if that is not possible.
 * @param habit The habit that it concerns, whose row has the focus once it is taken back.
 * @returns Whether it was done.
 */
export async function act(text, work, inverse = () => null, habit = null) {
  if (isOffline()) {
    showProblem({
      message: 'not possible while offline', hint: 'start the service again, and repeat it',
    });
    return false;
  }
  try {
    const answer = await work();
    if (answer === null) return false;
    const undoing = inverse(answer);
    const takeBack = async () => {
      const isDone = await act(`${habit ? `${habit.title}: t` : 'T'}aken back`, undoing);
      if (isDone && habit) focusHabit(habit.id);
      return isDone;
    };
    showMessage(typeof text === 'function' ? text(answer) : text, undoing && takeBack);
    await refresh();
    return true;
  } catch (error) {
    if (error instanceof Unreachable) setOffline();
    showProblem(error);
    return false;
  }
}

// An answer lists the events that it wrote.
const wrote = (answer, type) => answer.events.find((event) => event.type === type);
const whenWritten = (undoing) => (answer) => (answer.events.length > 0 ? undoing : null);
const append = (event) => change('POST', '/v1/events', event);

const path = (habit, rest = '') => `/v1/habits/${encodeURIComponent(habit.id)}${rest}`;
const post = (habit, verb, body = {}) => change('POST', path(habit, `/${verb}`), body);

const entryPath = (habit, entry) => path(habit, `/entries/${entry}`);

/** Records that a habit was done, once or by an amount in thousandths. */
export const done = (habit, options = {}) =>
  act(
    ({ entry }) => {
      if (entry === null) return `${habit.title}: done already`;
      return `${habit.title}: ${options.amount ? `${amount(options.amount)} recorded` : 'done'}`;
    },
    () => post(habit, 'done', options),
    ({ entry }) => entry && (() => change('DELETE', entryPath(habit, entry))),
    habit,
  );

/** Takes back what was recorded last for a date. */
export const undo = (habit, date) => {
  const entriesOf = async () =>
    (await read(path(habit, `/entries?from=${date}&to=${date}`))).entries;
  return act(
    (answer) => `${habit.title}: ${answer.events.length > 0 ? '' : 'nothing to be '}taken back`,
    async () => {
      const before = await entriesOf();
      const answer = await post(habit, 'undo', { date });
      const after = new Set((await entriesOf()).map((one) => one.entry));
      return { ...answer, removed: before.find((one) => !after.has(one.entry)) };
    },
    (answer) => {
      if (wrote(answer, 'day.marked')) return () => post(habit, 'skip', { date });
      return answer.removed ? () => recordAgain(habit, answer.removed) : null;
    },
    habit,
  );
};

/** Marks a date as not due, unless it is done. */
export const skip = (habit, date) =>
  act(
    (answer) => {
      if (answer.keptDone.length > 0) {
        return `${habit.title}: not skipped, since it is done already`;
      }
      return `${habit.title}: skipped${wrote(answer, 'day.marked') ? '' : ' already'}`;
    },
    () => post(habit, 'skip', { date }),
    (answer) => {
      const clear = { type: 'day.marked', habit: habit.id, from: date, to: date, mark: 'clear' };
      return wrote(answer, 'day.marked') ? () => append(clear) : null;
    },
    habit,
  );

/** Moves the last reminder. */
export const snooze = (habit, minutes) =>
  act(
    ({ snoozed, detail }) =>
      (snoozed ? `${habit.title}: snoozed until ${clock(snoozed.fireAt)}` : sentence(detail)),
    () => post(habit, 'snooze', { minutes }),
    ({ snoozed }) => snoozed && (() =>
      post(habit, 'snooze', snoozed.replacedEnd
        ? { until: snoozed.replacedEnd } : { off: true, until: snoozed.until })),
    habit,
  );

/** Writes a note on a date; an empty one removes it. */
export const note = (habit, date, text, before) => {
  const write = (value) => change('PUT', path(habit, `/notes/${date}`), { text: value || null });
  return act(
    text ? `${habit.title}: note saved` : `${habit.title}: note removed`,
    () => write(text),
    whenWritten(() => write(before)),
    habit,
  );
};

/** Removes one entry. */
export const removeEntry = (habit, entry) =>
  act(
    `${habit.title}: entry removed`,
    () => change('DELETE', entryPath(habit, entry.entry)),
    () => () => recordAgain(habit, entry),
    habit,
  );

function recordAgain(habit, entry) {
  const again = { date: entry.date, at: entry.at, note: entry.note };
  if (habit.kind === 'count') again.amount = entry.amount;
  return post(habit, 'done', withoutNulls(again));
}

// The habit was there before, so another of its title does not keep it away.
const unarchived = (habit) => post(habit, 'unarchive?again=true');
const restored = (habit) => post(habit, 'restore?again=true');
const deleted = (habit) => change('DELETE', path(habit));

/** Archives a habit. */
export const archive = (habit) =>
  act(`${habit.title}: archived`, () => post(habit, 'archive'),
    whenWritten(() => unarchived(habit)), habit);

/** Shows an archived habit again. */
export const unarchive = (habit) =>
  act(`${habit.title}: shown again`, () => unarchived(habit),
    whenWritten(() => post(habit, 'archive')), habit);

/** Deletes a habit, so that it can be restored. */
export const remove = (habit) =>
  act(`${habit.title}: deleted`, () => deleted(habit), whenWritten(() => restored(habit)), habit);

/** Restores a deleted habit. */
export const restore = (habit) =>
  act(`${habit.title}: restored`, () => restored(habit), whenWritten(() => deleted(habit)),
    habit);

/** Pauses the reminders of a habit. */
export const pause = (habit, dates) =>
  act(
    `${habit.title}: paused`,
    () => post(habit, 'pause', dates),
    (answer) => {
      const written = wrote(answer, 'pause.set');
      return written ? () => endPause(written) : null;
    },
    habit,
  );

// A pause that ends before it begins includes no date. Those of other acts stay.
async function endPause({ position }) {
  let written;
  await readLines('GET', `/v1/events?after=${position - 1}&limit=1`, (event) => {
    written = event;
  });
  const { type, pause: id, habit, from } = written;
  return append({ type, pause: id, habit, from, to: addDays(from, -1) });
}

/** Ends the pauses of a habit. */
export const resume = (habit) => act(`${habit.title}: resumed`, () => post(habit, 'resume'));

const withoutNulls = (members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
