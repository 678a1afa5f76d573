// The habits of a day, each with its group, its time and what to know about it.

import { clock, dateOf, distance, firedAt, momentInText } from '../core/times.js';
import { capital, isOff, progress } from '../core/words.js';

/** The groups of today, and those of another day, in their order. */
export const groups = {
  today: [
    ['now', 'Now'], ['later', 'Later today'], ['open', 'Any time today'],
    ['done', 'Done or skipped'], ['rest', 'Not due today'],
  ],
  other: [['open', 'Not done'], ['done', 'Done or skipped'], ['rest', 'Not due']],
};

const unanswered = new Set(['presumed', 'delivered', 'opened', 'expired', 'dismissed']);

/**
 * The habits of today, those with the earliest reminders first.
 *
 * @param today The document of today.
 * @param habits The list of habits.
 * @param receipts What happened to notifications, the latest first.
 */
export function rowsOfToday(today, habits, receipts) {
  const fields = byID(habits);
  const fired = new Map();
  for (const receipt of receipts) {
    if (!receipt.habit || dateOf(firedAt(receipt)) !== today.date) continue;
    const isOpen = unanswered.has(receipt.state) || receipt.action === 'snooze';
    if (isOpen && !fired.has(receipt.habit)) fired.set(receipt.habit, firedAt(receipt));
  }
  const rows = today.habits.map((one) => rowOfToday(one, fields.get(one.habit), today, fired));
  const order = (row) => row.firedAt ?? row.nextAt ?? '~';
  return rows.sort((one, other) => order(one).localeCompare(order(other)));
}

/** The habits of another day, from the document of its week. */
export function rowsOfDate(date, week, habits) {
  const fields = byID(habits);
  return week.habits.map((one) => {
    const state = one.days.find((day) => day.date === date)?.state ?? 'idle';
    const row = baseRow(one, fields.get(one.habit), state, date);
    const isDue = ['missed', 'open'].includes(state);
    const group = ['done', 'skipped'].includes(state) ? 'done' : isDue ? 'open' : 'rest';
    return { ...row, group, line: row.about ?? '', time: '' };
  });
}

const byID = ({ habits }) => new Map(habits.map((habit) => [habit.id, habit]));

function baseRow(one, fields = {}, state, date) {
  return {
    id: one.habit, title: one.title, kind: fields.kind ?? 'yesNo', unit: fields.unit,
    target: fields.target, direction: fields.direction, about: fields.group, state, date,
  };
}

function rowOfToday(one, fields, today, fired) {
  const next = one.next ?? {};
  const at = next.fireAt ?? next.scheduledAt ?? null;
  const row = {
    ...baseRow(one, fields, one.today, today.date), amount: one.amount, note: one.note,
    canSnooze: one.canSnooze,
    nextAt: at && dateOf(at) === today.date ? at : null, firedAt: fired.get(one.habit),
  };
  row.group = groupOfToday(row);
  row.time = { later: () => clock(row.nextAt), now: () => clock(row.firedAt) }[row.group]?.() ?? '';
  const parts = [
    row.amount !== undefined && progress(row), stateWords[row.state],
    nextWords(row, next, at, today.date),
  ];
  row.line = parts.filter(Boolean).join(' · ');
  return row;
}

const stateWords = { skipped: 'Skipped', paused: 'Paused' };

function groupOfToday(row) {
  if (row.state === 'done' || row.state === 'skipped') return 'done';
  if (row.state !== 'open') return 'rest';
  if (row.firedAt) return 'now';
  return row.nextAt ? 'later' : 'open';
}

// Reminders that are off have their times like others: a notice above says that none comes.
function nextWords(row, next, at, today) {
  if (at) {
    const where = next.reason === 'otherDevice' ? `, ${next.detail}` : '';
    return `${row.group === 'later' ? distance(at) : `Next ${momentInText(at, today)}`}${where}`;
  }
  if (next.place || isOff(next)) return 'Reminds at a place';
  if (row.state === 'done' || !next.detail) return '';
  if (next.reason === 'otherDevice') return `Reminds ${next.detail}`;
  return capital(next.detail);
}
