// A schedule in words: `Mon, Wed, Fri 18:30, unless done`.

import { amount, capital, counted } from './words.js';
import { shortDate } from './times.js';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** All reminders of a habit in words. */
export const scheduleWords = (schedules) =>
  schedules.length === 0 ? 'No reminders' : schedules.map(oneSchedule).join(' · ');

/** One schedule in words. */
export function oneSchedule(schedule) {
  const parts = [ruleWords(schedule.rule), ...(schedule.times ?? [])];
  const unless = (schedule.unless ?? []).map((one) => conditions[one] ?? one);
  const suffix = unless.length > 0 ? `, unless ${unless.join(' or ')}` : '';
  return parts.filter(Boolean).join(' ') + suffix;
}

const conditions = { done: 'done', quota: 'often enough already', entry: 'anything is recorded' };

function ruleWords(rule = {}) {
  if (rule.weekly) return weeklyWords(rule.weekly);
  if (rule.once) return shortDate(rule.once, new Date().toISOString());
  if (rule.everyDays) return rule.everyDays === 1 ? 'Daily' : `Every ${rule.everyDays} days`;
  if (rule.interval) return intervalWords(rule);
  if (rule.relative) return relativeWords(rule.relative);
  if (rule.place) return placeWords(rule.place);
  if (rule.recurrence) return recurrenceWords(rule.recurrence);
  return 'A rule of a later version';
}

/** A place in words. */
export const placeWords = ({ crossing }) =>
  crossing === 'exit' ? 'On leaving a place' : 'At a place';

function weeklyWords(days) {
  if (days.length === 7) return 'Daily';
  if (days.join() === weekdays.slice(0, 5).join()) return 'Weekdays';
  if (days.join() === 'sat,sun') return 'Weekends';
  return days.map(capital).join(', ');
}

function intervalWords(rule) {
  const length = seconds(rule.interval);
  if (rule.anchor) return `${length} after it was done`;
  return `Every ${length}${rule.window ? ` from ${rule.window.replace('-', ' to ')}` : ''}`;
}

function relativeWords(relative) {
  const base = ruleWords(relative.base);
  const offset = relative.offsetSeconds ?? 0;
  if (offset === 0) return base;
  return `${seconds(Math.abs(offset))} ${offset < 0 ? 'before' : 'after'} ${base}`;
}

function recurrenceWords(text) {
  const rule = /^RRULE:(.*)$/m.exec(text)?.[1] ?? text.split('\n')[0];
  const time = /^DTSTART[^:]*:\d{8}T(\d\d)(\d\d)/m.exec(text);
  return `By the rule ${rule}${time ? ` at ${time[1]}:${time[2]}` : ''}`;
}

/** A number of seconds in the largest unit that divides it. */
export function seconds(count) {
  for (const [length, word] of [[86_400, 'day'], [3_600, 'hour'], [60, 'minute']]) {
    if (count % length === 0) return counted(count / length, word);
  }
  return counted(count, 'second');
}

const periods = { day: 'a day', week: 'a week', month: 'a month' };

/** A habit's goal or target in words; null if it has neither. */
export function goalWords(habit) {
  if (habit.goal) {
    const [count, period] = habit.goal.split('/');
    return `Goal: ${count} ${periods[period] ?? `in ${period.slice(0, -1)} days`}`;
  }
  if (habit.target === undefined) return null;
  const most = habit.direction === 'atMost' ? 'At most ' : '';
  return [`${most}${amount(habit.target)}`, habit.unit, 'a day'].filter(Boolean).join(' ');
}
