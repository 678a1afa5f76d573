// Today: what is due now, later and at any time, and what is done. Also another day, to correct it.

import { h, setText } from '../core/dom.js';
import { watchAll } from '../core/documents.js';
import { icon } from '../core/icons.js';
import { list } from '../core/list.js';
import { go } from '../core/router.js';
import { rowKeys } from '../core/rows.js';
import { canChange } from '../core/session.js';
import { dayName, distance, isDate, longDate } from '../core/times.js';
import { isOff } from '../core/words.js';
import { dayReminders, showRail } from '../parts/day-rail.js';
import { groups, rowsOfDate, rowsOfToday } from '../parts/day-rows.js';
import { noHabits, remindersOff } from '../parts/empty.js';
import { habitKeys, habitRow } from '../parts/habit-row.js';
import { showWeek } from '../parts/week-strip.js';

const dayDocuments = ['/v1/today', '/v1/habits', '/v1/receipts?limit=100', '/v1/pending'];

/** What it shows without the service. */
export const documents = [...dayDocuments, '/v1/week'];

/** Opens the view; a date may follow its name. */
export function open(main, [date]) {
  return isDate(date ?? '') ? openDate(main, date) : openToday(main);
}

function openToday(main) {
  const day = dayView(main, groups.today, 'Today');
  const rail = h('ol', { class: 'rail' });
  const aside = h(
    'aside', { class: 'day-aside', 'aria-labelledby': 'rail-title', hidden: true },
    h('h2', { id: 'rail-title' }, 'Reminders today'), rail,
  );
  day.columns.append(aside);

  let latest = null;
  function show(today, habits, { receipts }, { pending }) {
    latest = [today, habits, { receipts }, { pending }];
    const rows = rowsOfToday(today, habits, receipts);
    day.show(longDate(today.date), rows, nextWords(pending.find((one) => one.fireAt)));
    day.notices.replaceChildren(...notices(today, rows));
    const titles = new Map(habits.habits.map((habit) => [habit.id, habit.title]));
    const titleOf = (one) => titles.get(one.habit) ?? one.title ?? one.source;
    const reminders = dayReminders(today, receipts, pending, titleOf);
    showRail(rail, reminders);
    aside.hidden = reminders.length === 0;
  }
  const stop = watchAll(dayDocuments, show);
  const stopWeek = watchAll(['/v1/today', '/v1/week'], (today, week) =>
    day.showWeek(week, today.date, today.date));
  // The distances to what is next change by themselves.
  const timer = setInterval(() => latest && show(...latest), 30_000);
  return {
    title: 'Today',
    close() {
      clearInterval(timer);
      stop();
      stopWeek();
      day.close();
    },
  };
}

function openDate(main, date) {
  const day = dayView(main, groups.other, longDate(date));
  const paths = ['/v1/today', '/v1/habits', `/v1/week?date=${date}`];
  const stop = watchAll(paths, (today, habits, week) => {
    const name = dayName(date, today.date);
    const back = h('a', { href: '#/today' }, 'Back to today');
    day.show(longDate(date), rowsOfDate(date, week, habits), '');
    day.notices.replaceChildren(h(
      'p', { class: 'notice' },
      name === 'Yesterday' ? 'This is yesterday. ' : 'This is another day. ', back,
    ));
    day.showWeek(week, date, today.date);
  });
  return {
    title: longDate(date),
    close() {
      stop();
      day.close();
    },
  };
}

/** The parts that today and another day share. */
function dayView(main, names, title) {
  const heading = h('h1', {}, title);
  const summary = h('p', { class: 'day-summary' });
  const week = h('div', { class: 'week', role: 'group', 'aria-label': 'Days' });
  const notices = h('div', {});
  const habits = h('div', { class: 'day-habits' });
  const columns = h('div', { class: 'day-columns' }, habits);
  const add = canChange() && h(
    'a', { class: 'button day-add', href: '#/habits/new' }, icon('plus'), 'Add a habit');
  main.append(h('div', { class: 'day-head' }, heading, summary, add), week, notices, columns);
  const sections = names.map(([name, text]) => section(name, text));
  habits.append(...sections.map((one) => one.element));
  const lists = sections.map((one) =>
    list(one.rows, (habit) => habit.id, (habit) => habitRow(habits, habit)));
  const stopKeys = rowKeys(habits, habitKeys);
  return {
    columns, notices,
    show(date, rows, more) {
      setText(heading, date);
      setText(summary, [summaryWords(rows), more].filter(Boolean).join(' · '));
      sections.forEach((one, index) => {
        const items = rows.filter((row) => row.group === one.name);
        one.element.hidden = items.length === 0;
        setText(one.count, String(items.length));
        lists[index].show(items);
      });
    },
    showWeek(document, shown, today) {
      showWeek(week, document, shown, today, (chosen) =>
        go(chosen === today ? 'today' : `today/${chosen}`));
    },
    close() {
      stopKeys();
      lists.forEach((one) => one.close());
    },
  };
}

function section(name, text) {
  const rows = h('ul', { class: 'rows' });
  const count = h('span', { class: 'count' });
  const id = `group-${name}`;
  const title = h('h2', { id }, text, ' ', count);
  const element = name === 'rest'
    ? h('details', { class: `group ${id}` }, h('summary', {}, title), rows)
    : h('section', { class: `group ${id}`, 'aria-labelledby': id }, title, rows);
  element.hidden = true;
  return { name, element, rows, count };
}

function summaryWords(rows) {
  if (rows.length === 0) return '';
  const due = rows.filter((row) => row.group !== 'rest' && row.state !== 'skipped');
  if (due.length === 0) return 'Nothing is due';
  return `${due.filter((row) => row.state === 'done').length} of ${due.length} done`;
}

const nextWords = (next) => (next ? `next ${next.title}, ${distance(next.fireAt)}` : '');

function notices(today, rows) {
  const found = [];
  if (rows.length === 0) found.push(noHabits());
  else if (today.habits.some((one) => isOff(one.next))) found.push(remindersOff());
  return found;
}
