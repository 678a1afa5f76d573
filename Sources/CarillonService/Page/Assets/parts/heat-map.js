// A year as a map of weeks and days. One day takes part in the order of Tab; the arrows move.

import { h, setVariables } from '../core/dom.js';
import { addDays, month, shortDate, weekdayOf } from '../core/times.js';
import { amount, dayState } from '../core/words.js';

/**
 * Creates the map of a year.
 *
 * @param map The year's document.
 * @param choose Called with a date and its day, which may be undefined.
 */
export function heatMap(map, habit, today, choose) {
  const days = new Map(map.days.map((day) => [day.date, day]));
  const notes = new Set(habit.notes.map((one) => one.date));
  const { from: first, to: last } = map;
  const cells = [];
  const months = [];
  const offset = weekdayOf(first);
  for (let date = first, index = offset; date <= last; date = addDays(date, 1), index += 1) {
    const column = Math.floor(index / 7) + 1;
    if (date.endsWith('-01')) months.push(monthLabel(date, column));
    cells.push(cell(date, days.get(date), column, { habit, today, choose, notes }));
  }
  const label = `Days from ${shortDate(first)} to ${shortDate(last)}`;
  const grid = h('div', { class: 'heat-cells', role: 'group', 'aria-label': label }, cells);
  const entry = cells.find((one) => one.dataset.date === today) ?? cells.at(-1);
  entry.tabIndex = 0;
  grid.addEventListener('keydown', (event) => move(event, grid));
  const scroller = h(
    'div', { class: 'heat-map' },
    h('div', { class: 'heat-months', 'aria-hidden': 'true' }, months), grid,
  );
  requestAnimationFrame(() => {
    scroller.scrollLeft = entry.offsetLeft - scroller.clientWidth + 60;
  });
  return h('div', { class: 'heat' }, scroller, legend());
}

function monthLabel(date, column) {
  const element = h('span', {}, month(date));
  setVariables(element, { '--column': String(column) });
  return element;
}

function cell(date, day, column, { habit, today, choose, notes }) {
  const level = levelOf(day, habit);
  const words = wordsOf(day, habit, date > today);
  const element = h('button', {
    type: 'button', class: `heat-cell level-${level}${notes.has(date) ? ' noted' : ''}`,
    tabindex: '-1', 'data-date': date, disabled: date > today,
    'aria-label': `${shortDate(date, today)}: ${words}${notes.has(date) ? ', with a note' : ''}`,
    onclick: () => choose(date, day),
  });
  element.title = element.getAttribute('aria-label');
  setVariables(element, { '--column': String(column), '--row': String(weekdayOf(date) + 1) });
  return element;
}

/** How a day looks: 0 to 4 for what was done, `missed`, `skip`, or `over` the most. */
function levelOf(day, habit) {
  if (!day) return '0';
  if (day.state === 'missed') return partOf(day, habit) ?? 'missed';
  if (day.state === 'skipped' || day.state === 'paused') return day.entries > 0 ? '4' : 'skip';
  if (day.state === 'done') return '4';
  return partOf(day, habit) ?? '0';
}

/** The part of the target that was reached; null without a part. */
function partOf(day, habit) {
  if (day.entries === 0) return null;
  if (habit.direction === 'atMost') return day.state === 'missed' ? 'over' : '4';
  if (habit.kind !== 'count' || !habit.target) return '4';
  const part = day.amount / habit.target;
  return String(Math.max(1, Math.min(4, Math.floor(part * 4))));
}

function wordsOf(day, habit, isLater) {
  if (isLater) return 'to come';
  if (!day) return 'before the first day';
  const words = dayState(day.state);
  if (habit.kind !== 'count' || day.entries === 0) return words;
  return `${amount(day.amount)} ${habit.unit ?? ''}`.trim() + `, ${words}`;
}

function move(event, grid) {
  const step = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 }[event.key];
  const date = event.target.dataset.date;
  if (!date || (!step && event.key !== 'Home' && event.key !== 'End')) return;
  event.preventDefault();
  event.stopPropagation();
  const open = grid.querySelectorAll('button:not(:disabled)');
  const target = step
    ? grid.querySelector(`[data-date="${addDays(date, step)}"]:not(:disabled)`)
    : event.key === 'Home' ? open[0] : open[open.length - 1];
  if (!target) return;
  event.target.tabIndex = -1;
  target.tabIndex = 0;
  target.focus();
}

function legend() {
  const box = (level) => h('span', { class: `heat-cell level-${level}` });
  return h(
    'p', { class: 'heat-legend', 'aria-hidden': 'true' },
    'Less', ['1', '2', '3', '4'].map(box), 'More', box('missed'), 'Missed', box('skip'), 'Skipped',
  );
}
