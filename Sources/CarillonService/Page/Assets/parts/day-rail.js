// The reminders of a day in order of time: those that fired, and those to come.

import { h, titleText } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { clock, dateOf, distance, firedAt } from '../core/times.js';
import { counted, receiptState, unshown } from '../core/words.js';

// The others are in the history and in the coming days.
const mostFired = 6;
const mostComing = 14;

/** What fired and what will fire today, in order of time. */
export function dayReminders({ date, blocked, habits }, receipts, pending, titleOf) {
  const fired = receipts
    .filter((one) => dateOf(firedAt(one)) === date && !unshown.has(one.state))
    .map((one) => ({
      at: firedAt(one), title: titleOf(one), words: receiptState(one), hasFired: true,
      state: one.state === 'acted' ? one.action : one.state,
    }));
  const coming = pending
    .filter((one) => one.fireAt && dateOf(one.fireAt) === date)
    .map((one) => ({ at: one.fireAt, title: one.title, hasFired: false, isOff: blocked !== null }));
  const elsewhere = habits
    .filter(({ next }) => next?.reason === 'otherDevice' && next.scheduledAt)
    .map(({ title, next }) => ({ at: next.scheduledAt, title, hasFired: false }))
    .filter((one) => dateOf(one.at) === date);
  return [...fired, ...coming, ...elsewhere].sort((one, other) => (one.at < other.at ? -1 : 1));
}

/** Shows those around now as a list, with the next one marked. */
export function showRail(parent, reminders) {
  const fired = reminders.filter((one) => one.hasFired);
  const coming = reminders.filter((one) => !one.hasFired);
  const rows = coming.slice(0, mostComing).map(railRow);
  rows[0]?.classList.add('rail-next');
  parent.replaceChildren(...[
    othersRow(fired.length - mostFired, 'earlier', '#/history'),
    ...fired.slice(-mostFired).map(railRow),
    ...rows,
    othersRow(coming.length - mostComing, 'later', '#/coming'),
  ].filter(Boolean));
}

const othersRow = (count, word, href) =>
  count > 0 && h('li', { class: 'rail-others' }, h('a', { href }, `${counted(count, word, word)}`));

function railRow(reminder) {
  const words = reminder.hasFired ? reminder.words : distance(reminder.at);
  return h(
    'li', { class: `rail-row ${reminder.hasFired ? 'fired' : 'coming'}` },
    h('time', { class: 'rail-time' }, clock(reminder.at)),
    h('span', { class: 'mark' }, mark(reminder)),
    h('span', { class: 'rail-text' }, titleText(reminder.title), h('small', {}, words)),
  );
}

function mark(reminder) {
  if (!reminder.hasFired) return icon(reminder.isOff ? 'silent' : 'bell');
  return icon({ done: 'check', skip: 'skip', snooze: 'snooze' }[reminder.state] ?? 'history');
}
