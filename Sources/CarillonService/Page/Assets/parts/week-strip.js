// A week of days with the part that was done; a day opens what was to do on it.

import { h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { addDays, daysBetween, longDate, weekdayName } from '../core/times.js';
import { ring } from './ring.js';

/**
 * Shows a week.
 *
 * @param parent The element that it fills.
 * @param week The document of the week.
 * @param shown The date that the view shows.
 * @param today The date of today.
 * @param choose Called with the date that the person chose.
 */
export function showWeek(parent, week, shown, today, choose) {
  const focused = parent.contains(document.activeElement) && document.activeElement.dataset.date;
  const totals = dayTotals(week);
  const days = [...totals].map(([date, total]) => dayButton(date, total, shown, today, choose));
  const earlier = arrow('back', 'The week before', () => choose(addDays(week.from, -1)));
  const later = arrow('next', 'The week after', () => choose(least(addDays(week.to, 7), today)));
  later.disabled = week.to >= today;
  parent.replaceChildren(earlier, ...days, later);
  if (focused) parent.querySelector(`[data-date="${focused}"]`)?.focus();
}

const least = (one, other) => (one < other ? one : other);

function dayTotals(week) {
  const totals = new Map();
  for (let date = week.from; date <= week.to; date = addDays(date, 1)) {
    totals.set(date, { done: 0, due: 0 });
  }
  for (const habit of week.habits) {
    for (const day of habit.days) {
      const total = totals.get(day.date);
      if (!total || !['done', 'missed', 'open'].includes(day.state)) continue;
      total.due += 1;
      if (day.state === 'done') total.done += 1;
    }
  }
  return totals;
}

function dayButton(date, total, shown, today, choose) {
  const isLater = daysBetween(today, date) > 0;
  const words = isLater ? 'to come' : `${total.done} of ${total.due} done`;
  return h(
    'button',
    {
      type: 'button', class: 'week-day', disabled: isLater, 'data-date': date,
      'aria-label': `${longDate(date)}, ${words}`,
      'aria-current': date === shown ? 'date' : null, onclick: () => choose(date),
    },
    h('span', { 'aria-hidden': 'true' }, weekdayName(date)),
    h(
      'span', { class: 'week-number', 'aria-hidden': 'true' },
      ring(total.due ? total.done / total.due : 0), h('b', {}, String(Number(date.slice(8)))),
    ),
  );
}

const arrow = (name, label, onclick) =>
  h('button', { type: 'button', class: 'icon-button', 'aria-label': label, onclick }, icon(name));
