// The coming days: every reminder at its time, and why one does not come.

import { h, setText, titleText } from '../core/dom.js';
import { watchAll } from '../core/documents.js';
import { icon } from '../core/icons.js';
import { list } from '../core/list.js';
import { clock, dateOf, dayName, distance, shortDate, timeInZone } from '../core/times.js';
import { placeWords } from '../core/rule-words.js';
import { capital, counted } from '../core/words.js';
import { empty, noHabits, remindersOff } from '../parts/empty.js';

const ranges = [[3, '3 days'], [8, '8 days'], [14, '2 weeks'], [31, '1 month']];
const usualDays = 8;
const storageName = 'carillon-silences';
const upcoming = (days) =>
  [`/v1/upcoming?days=${days}`, '/v1/pending', '/v1/habits', '/v1/replicas'];

/** What it shows without the service. */
export const documents = upcoming(usualDays);

/** Opens the view. */
export function open(main) {
  let days = usualDays;
  let document = null;
  let today = null;
  let zone = 'UTC';
  let hasHabits = true;
  let stop = () => {};
  const showsSilences = h('input', {
    type: 'checkbox', checked: localStorage.getItem(storageName) !== 'off',
    onchange: () => {
      localStorage.setItem(storageName, showsSilences.checked ? 'on' : 'off');
      show();
    },
  });
  const range = h(
    'select', { onchange: () => watchDays(Number(range.value)) },
    ranges.map(([value, text]) => h('option', { value, selected: value === days }, text)),
  );
  const notice = h('div', { hidden: true }, remindersOff());
  const summary = h('p', { class: 'day-summary' }, 'Reading the plan…');
  const rows = h('ol', { class: 'timeline' });
  const nothing = h('div', {});
  main.append(
    h('div', { class: 'view-head' }, h('h1', {}, 'Coming days'), summary),
    h(
      'div', { class: 'toolbar' },
      h('label', { class: 'inline-field' }, 'Show', range),
      h('label', { class: 'check-line' }, showsSilences, 'Reminders that do not come'),
    ),
    notice, nothing, rows,
  );
  const shown = list(rows, (row) => row.key, timelineRow, (row) => Boolean(row.long));
  watchDays(days);
  // The distances change by themselves.
  const timer = setInterval(show, 30_000);

  function watchDays(count) {
    days = count;
    stop();
    stop = watchAll(upcoming(days), (plan, pending, { habits }, { replicas }) => {
      const places = placesOf(habits);
      const names = new Map(replicas.map((one) => [one.replica, one.name]));
      hasHabits = habits.length > 0;
      // A device that may not show reminders would show these.
      document = plan.dates.map(({ date, reminders }) => ({
        date,
        reminders: reminders.map((one) =>
          ({
            ...one, comes: comes(one, plan), place: places.get(one.schedule),
            capacity: pending.capacity,
            device: one.reason === elsewhere && names.get(one.replica),
          })),
      }));
      notice.hidden = !plan.dates.some((day) => day.reminders.some((one) => isOff(one, plan)));
      zone = pending.zone;
      today = dateOf(timeInZone(Date.now(), zone));
      show();
    });
  }

  function show() {
    if (!document) return;
    const now = timeInZone(Date.now(), zone);
    const days = document.map(({ date, reminders }) =>
      ({ date, reminders: reminders.filter((one) => one.place || timeOf(one) >= now) }));
    const all = days.flatMap((day) => day.reminders);
    const coming = all.filter((one) => one.comes).length;
    const waiting = all.filter(waits).length;
    const silent = all.length - coming - waiting;
    setText(summary, [
      counted(coming, 'reminder'), waiting > 0 && `${waiting.toLocaleString('en')} wait for room`,
      silent > 0 && `${silent.toLocaleString('en')} do not come`,
    ].filter(Boolean).join(', '));
    nothing.replaceChildren(...all.length > 0 ? [] : [nothingComes(hasHabits)]);
    shown.show(all.length > 0 ? timelineRows(days, today, showsSilences.checked) : []);
  }
  return {
    title: 'Coming days',
    close() {
      clearInterval(timer);
      stop();
      shown.close();
    },
  };
}

// A reminder at a place has no time.
const placesOf = (habits) => new Map(
  habits.flatMap((habit) => habit.schedules).filter((one) => one.rule?.place)
    .map((one) => [one.id, placeWords(one.rule.place)]));

const nothingComes = (hasHabits) =>
  (hasHabits
    ? empty('No reminder is due in these days.', ['Choose a habit, and add one', '#/habits'])
    : noHabits());

const elsewhere = 'otherDevice';

// What would fire if reminders were not off on this device.
const isOff = (one, { blocked }) =>
  blocked !== null && ['planned', 'beyondHorizon'].includes(one.reason);

const comes = (one, plan) => one.fires || one.reason === elsewhere || isOff(one, plan);

// The system holds a limited number of notifications, and the next plan has room for more.
const waits = (one) => one.reason === 'overCapacity';

const timeOf = (reminder) => (reminder.fireAt ?? reminder.nominal).slice(0, 16);

function timelineRows(days, today, withSilences) {
  const rows = [];
  for (const { date, reminders: all } of days) {
    const reminders = all.filter((one) => withSilences || one.comes);
    const count = all.filter((one) => one.comes).length;
    rows.push({
      key: date, count, isEmpty: reminders.length === 0, name: dayName(date, today),
      long: shortDate(date, today),
    });
    reminders.forEach((one, index) => rows.push({
      key: `${date} ${one.habit} ${one.schedule} ${one.nominal} ${one.number ?? 0} ${index}`,
      ...one,
    }));
  }
  return rows;
}

function timelineRow(first) {
  const element = h('li', {});
  function update(row) {
    if (row.long) {
      element.className = 'timeline-day';
      element.replaceChildren(...dayContent(row));
    } else {
      element.className = `timeline-row ${row.comes ? 'comes' : waits(row) ? 'waits' : 'silent'}`;
      element.replaceChildren(...rowContent(row));
    }
  }
  update(first);
  return { element, update };
}

function dayContent(row) {
  const isNamed = row.name !== row.long && ['Today', 'Tomorrow'].includes(row.name);
  return [
    h('h2', {}, isNamed ? `${row.name}, ${row.long}` : row.long),
    h('span', { class: 'muted' }, row.isEmpty ? 'No reminders' : counted(row.count, 'reminder')),
  ];
}

function rowContent(row) {
  const mark = row.comes ? (row.place ? 'place' : 'bell') : waits(row) ? 'coming' : 'silent';
  return [
    h('time', { class: 'timeline-time' }, row.place ? '' : clock(timeOf(row))),
    h('span', { class: 'mark' }, icon(mark)),
    h(
      'span', { class: 'timeline-text' },
      titleText(row.title, 'a', { href: `#/habits/${row.habit}` }),
      h('small', {}, reasonWords(row)),
    ),
  ];
}

function reasonWords(row) {
  const where = row.device ? `, on ${row.device}` : '';
  if (row.place && row.comes) return `${row.place}, at any time${where}`;
  const at = row.fireAt ?? row.nominal;
  if (row.reason === 'planned' || row.reason === elsewhere) {
    const isMoved = dateOf(row.nominal) === dateOf(at) && clock(row.nominal) !== clock(at);
    return distance(at) + (isMoved ? `, moved from ${clock(row.nominal)}` : '') + where;
  }
  if (waits(row)) return `Planned once there is room: a device holds ${row.capacity} reminders`;
  return row.comes ? capital(row.detail) : `Does not come: ${row.detail}`;
}
