// One habit: its state, its year, its strength, and what was recorded.

import * as actions from '../core/actions.js';
import { h, titleText } from '../core/dom.js';
import { watch, watchAll } from '../core/documents.js';
import { icon } from '../core/icons.js';
import { go } from '../core/router.js';
import { goalWords, oneSchedule } from '../core/rule-words.js';
import { canChange } from '../core/session.js';
import { clock, moment, shortDate } from '../core/times.js';
import { amount, counted, isOff } from '../core/words.js';
import { askAmount } from '../parts/amount-dialog.js';
import { askDay } from '../parts/day-dialog.js';
import { heatMap } from '../parts/heat-map.js';
import { menuButton } from '../parts/menu.js';
import { askPause } from '../parts/pause-dialog.js';
import { strengthChart } from '../parts/strength-chart.js';

/**
 * Shows a habit in an element.
 *
 * @param name Called with the title, to name the window.
 * @returns A function that ends it.
 */
export function openHabit(parent, id, name) {
  const path = `/v1/habits/${encodeURIComponent(id)}`;
  const head = h('div', { class: 'habit-head' });
  const tiles = h('dl', { class: 'tiles' });
  const reminders = h('div', {});
  const records = h('div', {});
  const year = h('div', { class: 'year' });
  parent.append(head, tiles, year, reminders, records);

  // The last twelve months without a year.
  let shownYear;
  let stopYear = () => {};
  let habit = null;
  const all = '/v1/habits?archived=true&deleted=true';
  const stop = watchAll([path, '/v1/today', all], (document, today, { habits }) => {
    const fields = habits.find((one) => one.id === id);
    habit = withToday(document, today, fields?.notes);
    name(habit.title);
    head.replaceChildren(...headContent(habit, today.date));
    tiles.replaceChildren(...tileContent(habit));
    reminders.replaceChildren(...reminderContent(habit, today.date));
    records.replaceChildren(...recordContent(habit, today.date));
    if (shownYear === undefined) showYear(null, today.date);
  });

  function showYear(number, today) {
    shownYear = number;
    stopYear();
    const query = number === null ? '' : `?year=${number}`;
    stopYear = watch(`${path}/map${query}`, (map) =>
      yearContent(year, { ...map, year: number }, habit, today, (other) => showYear(other, today)));
  }
  return () => {
    stop();
    stopYear();
  };
}

// The document's notes are those of dates; the habit's own text is a field of the habit.
function withToday(document, today, about) {
  const one = today.habits.find((each) => each.habit === document.id);
  return {
    ...document, about, state: one?.today ?? 'none', amount: one?.amount ?? 0, date: today.date,
  };
}

function headContent(habit, today) {
  const button = (text, name, run, className = '') =>
    h('button', { type: 'button', class: `button ${className}`, onclick: run }, icon(name), text);
  const words = [goalWords(habit), habit.group, habit.question].filter(Boolean).join(' · ');
  const more = canChange() && menuButton('More', () => moreItems(habit, today));
  return [
    h('a', { class: 'back-link', href: '#/habits' }, icon('back'), 'All habits'),
    h('div', { class: 'habit-title' }, titleText(habit.title, 'h2'), more),
    words && h('p', { class: 'muted', dir: 'auto' }, words),
    habit.about && h('p', { dir: 'auto', class: 'habit-about' }, habit.about),
    canChange() && h(
      'div', { class: 'buttons' },
      habit.deleted
        ? button('Restore', 'undo', () => actions.restore(habit), 'primary')
        : mainButton(habit, button),
      !habit.deleted && h('a', { class: 'button', href: `#/habits/${habit.id}/edit` },
        icon('edit'), 'Edit'),
    ),
  ].filter(Boolean);
}

function mainButton(habit, button) {
  if (habit.kind === 'count') {
    return button('Record today', 'plus', () => askAmount(habit, habit.date), 'primary');
  }
  const { date } = habit;
  if (habit.state === 'done') {
    return button('Done today', 'check', () => actions.undo(habit, date));
  }
  return button('Done today', 'check', () => actions.done(habit, { date }), 'primary');
}

function moreItems(habit, today) {
  const isPaused = habit.pauses.some((one) => !one.to || one.to >= today);
  const gone = async (work) => (await work) && go('habits');
  return [
    isPaused
      ? { text: 'End the pause', icon: 'play', run: () => actions.resume(habit) }
      : { text: 'Pause', icon: 'pause', run: () => askPause(habit, today) },
    habit.archived
      ? { text: 'Unarchive', icon: 'archive', run: () => actions.unarchive(habit) }
      : { text: 'Archive', icon: 'archive', run: () => gone(actions.archive(habit)) },
    { text: 'Delete', icon: 'trash', run: () => gone(actions.remove(habit)) },
  ];
}

function tileContent(habit) {
  const one = habit.adherence;
  if (!one) return [];
  const week = one.weeks?.at(-1);
  const tiles = [
    ['Streak', String(one.streak), 'in a row'],
    ['Longest streak', String(one.longestStreak), 'in a row'],
    ['Strength', one.strength === null ? '-' : `${Math.round(one.strength * 100)} %`, ''],
    week?.due > 0 && ['This week', `${week.done} of ${week.due}`, 'done'],
  ];
  return tiles.filter(Boolean).map(([label, value, unit]) =>
    h('div', { class: 'tile' }, h('dt', {}, label), h('dd', {}, value, ' ', h('small', {}, unit))));
}

function yearContent(parent, map, habit, today, choose) {
  const focused = parent.contains(document.activeElement) ? document.activeElement.dataset : null;
  const thisYear = Number(today.slice(0, 4));
  const before = map.year === null ? thisYear - 1 : map.year - 1;
  const after = map.year === thisYear - 1 ? null : map.year + 1;
  const arrow = (name, label, to, isOff) =>
    h('button', {
      type: 'button', class: 'icon-button', 'aria-label': label, disabled: isOff,
      'data-year': name, onclick: () => choose(to),
    }, icon(name));
  const done = map.days.filter((day) => day.state === 'done').length;
  parent.replaceChildren(
    h(
      'div', { class: 'year-head' },
      h(
        'div', { class: 'year-title' },
        h('h3', {}, map.year === null ? 'The last 12 months' : String(map.year)),
        h('span', { class: 'muted' }, `${counted(done, 'day')} done`),
      ),
      arrow('back', 'The year before', before, map.from <= map.first),
      arrow('next', 'The year after', after, map.year === null),
    ),
    heatMap(map, habit, today, (date, day) => askDay(habit, date, day, today)),
    strengthChart(map),
  );
  if (focused?.date) parent.querySelector(`[data-date="${focused.date}"]`)?.focus();
  if (focused?.year) parent.querySelector(`[data-year="${focused.year}"]`)?.focus();
}

function reminderContent(habit, today) {
  const next = nextWords(habit.next, today);
  const pauses = habit.pauses.filter((one) => !one.to || one.to >= today);
  return [
    ...habit.conflicts.map((one) => h('p', { class: 'notice' }, conflictWords(one))),
    h('h3', {}, 'Reminders'),
    habit.schedules.length === 0
      ? h('p', { class: 'muted' }, 'None.')
      : h('ul', { class: 'plain' }, habit.schedules.map((one) => h('li', {}, oneSchedule(one)))),
    next && h('p', { class: 'muted' }, next),
    ...pauses.map((one) => h('p', { class: 'notice' }, pauseWords(one, today))),
  ].filter(Boolean);
}

function nextWords(next, today) {
  const at = next?.fireAt ?? next?.scheduledAt;
  if (at && isOff(next)) return `Next: ${moment(at, today)}, but reminders are off on this device`;
  if (at && next.reason === 'otherDevice') return `Next: ${moment(at, today)}, ${next.detail}`;
  if (next?.fireAt) return `Next: ${moment(at, today)}`;
  return next?.detail && `No next reminder: ${next.detail}`;
}

const conflictWords = ({ field, lost, kept }) => [
  `Two devices changed the ${field}. `, h('bdi', {}, lost.name), ' wrote ',
  h('bdi', {}, lost.value), ', and ', h('bdi', {}, kept.name), ' wrote ', h('bdi', {}, kept.value),
  ', which holds.',
];

const pauseWords = (one, today) =>
  `Paused from ${shortDate(one.from, today)}${one.to ? ` to ${shortDate(one.to, today)}` : ''}.`;

function recordContent(habit, today) {
  const entries = (habit.entries ?? []).map((entry) => entryRow(habit, entry, today));
  const written = habit.notes.map((one) =>
    h('li', {}, h('span', {}, shortDate(one.date, today)),
      h('span', { dir: 'auto' }, one.notes.join(' · '))));
  return [
    entries.length > 0 && h('h3', {}, 'Recorded last'),
    entries.length > 0 && h('ul', { class: 'plain entries' }, entries),
    written.length > 0 && h('h3', {}, 'Notes'),
    written.length > 0 && h('ul', { class: 'plain entries' }, written),
  ].filter(Boolean);
}

function entryRow(habit, entry, today) {
  const words = habit.kind === 'count'
    ? `${amount(entry.amount)} ${habit.unit ?? ''}`.trim() : 'Done';
  const at = entry.at ? ` at ${clock(entry.at)}` : '';
  const label = `Remove the entry of ${shortDate(entry.date, today)}`;
  return h(
    'li', {}, h('span', {}, shortDate(entry.date, today)), h('span', {}, `${words}${at}`),
    entry.note && h('span', { dir: 'auto', class: 'muted' }, entry.note),
    canChange() && h('button', {
      type: 'button', class: 'icon-button', 'aria-label': label,
      onclick: () => actions.removeEntry(habit, entry),
    }, icon('trash')),
  );
}
