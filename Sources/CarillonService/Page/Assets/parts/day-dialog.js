// One day of a habit: what was recorded, why its reminders came or not, and what to correct.

import { done, skip, undo } from '../core/actions.js';
import { read } from '../core/api.js';
import { h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { showProblem } from '../core/messages.js';
import { placeWords } from '../core/rule-words.js';
import { canChange } from '../core/session.js';
import { clock, longDate } from '../core/times.js';
import { amount, capital, dayState } from '../core/words.js';
import { askAmount } from './amount-dialog.js';
import { dialog } from './dialog.js';
import { askNote, canNote } from './note-dialog.js';

/** Opens a day of a habit. */
export function askDay(habit, date, day, today) {
  const isCounted = habit.kind === 'count';
  const act = (text, name, run, className = '') =>
    h('button', {
      type: 'button', class: `button ${className}`,
      onclick: () => {
        box.close();
        run();
      },
    }, icon(name), text);
  const has = day && (day.entries > 0 || day.mark !== 'clear');
  const reasons = h('ul', { class: 'plain reasons' });
  const box = dialog(longDate(date), [
    h('p', {}, dayWords(habit, day)), reasons,
    canChange() && h(
      'div', { class: 'buttons' },
      isCounted && act('Record', 'plus', () =>
        askAmount({ ...habit, amount: day?.amount ?? 0 }, date), 'primary'),
      !isCounted && day?.state !== 'done'
        && act('Done', 'check', () => done(habit, { date }), 'primary'),
      has && act('Take back the last', 'undo', () => undo(habit, date)),
      !has && act('Skip', 'skip', () => skip(habit, date)),
      canNote(date, today) && act('Note', 'note', () => askNote(habit, date)),
    ),
  ], 'small');
  explain(habit, date, reasons);
}

function dayWords(habit, day) {
  const words = capital(dayState(day?.state ?? 'idle'));
  if (habit.kind !== 'count' || !day?.entries) return `${words}.`;
  return `${words}: ${[amount(day.amount), habit.unit].filter(Boolean).join(' ')}.`;
}

async function explain(habit, date, reasons) {
  try {
    const path = `/v1/habits/${encodeURIComponent(habit.id)}/explain?date=${date}`;
    const { occurrences } = await read(path);
    const rules = new Map(habit.schedules.map((one) => [one.id, one.rule]));
    reasons.append(...occurrences.map((one) => {
      const { place } = rules.get(one.schedule) ?? {};
      const when = place ? `${placeWords(place)}:` : h('time', {}, clock(one.nominal));
      return h('li', {}, when, ' ', one.detail);
    }));
  } catch (error) {
    showProblem(error);
  }
}
