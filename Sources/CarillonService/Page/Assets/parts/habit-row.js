// A habit as a row of a day: what it is, where it is today, and what one can do with it.

import { done, skip, snooze, undo } from '../core/actions.js';
import { h, setAttribute, setText, titleText } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { keepingPlace } from '../core/rows.js';
import { canChange } from '../core/session.js';
import { dayState, progress } from '../core/words.js';
import { askAmount } from './amount-dialog.js';
import { menuButton } from './menu.js';
import { askNote } from './note-dialog.js';
import { ring } from './ring.js';

// A tap adds one if a few taps reach the target; else it asks how much.
const mostTaps = 12_000;
const snoozes = [['15 minutes', 15], ['1 hour', 60], ['3 hours', 180]];
const isCounted = (habit) => habit.kind === 'count';
const asksAmount = (habit) => isCounted(habit) && (habit.target ?? mostTaps + 1) > mostTaps;
// Only today's document has the amounts.
const hasAmount = (habit) => habit.amount !== undefined;
const isSettled = (habit) => habit.state === 'done' || habit.state === 'skipped';

/**
 * Creates the row of a habit.
 *
 * @param container The element in which the focus moves on when the row leaves its list.
 * @param first The habit with its `state`, `date`, `line` (what to know) and `time`.
 * @returns `{element, update(habit)}`.
 */
export function habitRow(container, first) {
  let habit = first;
  const check = canChange()
    ? h('button', { type: 'button', class: 'check', 'data-first': true })
    : h('span', { class: 'check', role: 'img' });
  const title = titleText('', 'a', { class: 'row-title' });
  const line = h('span', { class: 'row-line' });
  const note = titleText('', 'span', { class: 'row-line row-note' });
  const time = h('span', { class: 'row-time' });
  const tools = h('span', { class: 'row-tools' });
  const element = h(
    'li', { 'data-row': true, class: 'habit-row' },
    check, h('span', { class: 'row-text' }, title, line, note), time, canChange() && tools,
  );
  const snoozeTool = tool('snooze', 'Snooze', 'for 15 minutes', () => acts.snooze(15));
  const run = (work) => keepingPlace(container, element, work);
  const acts = {
    primary: () => run(() => primary(habit)),
    skip: () => run(() => skip(habit, habit.date)),
    snooze: (minutes) => run(() => snooze(habit, minutes)),
    note: () => askNote(habit, habit.date),
    undo: () => run(() => undo(habit, habit.date)),
  };
  if (canChange()) {
    check.addEventListener('click', acts.primary);
    rowActs.set(element, acts);
    tools.append(
      snoozeTool, tool('skip', 'Skip', '', acts.skip), tool('note', 'Note', '', acts.note),
      menuButton('More', () => menuItems(habit, acts)),
    );
  }
  function update(next) {
    habit = next;
    element.dataset.habit = habit.id;
    element.dataset.state = habit.state;
    setText(title, habit.title);
    setAttribute(title, 'href', `#/habits/${habit.id}`);
    setText(line, habit.line);
    setText(note, habit.note ?? '');
    note.hidden = !habit.note;
    setText(time, habit.time ?? '');
    setAttribute(check, 'aria-label', checkLabel(habit));
    check.replaceChildren(...checkContent(habit));
    snoozeTool.hidden = !habit.canSnooze;
    for (const button of tools.querySelectorAll(':scope > button')) nameTool(button, habit);
  }
  update(habit);
  return { element, update };
}

const rowActs = new WeakMap();

/** What the keys do with a row. */
export const habitKeys = {
  d: (row) => rowActs.get(row)?.primary(),
  s: (row) => rowActs.get(row)?.skip(),
  z: (row) => rowActs.get(row)?.snooze(15),
  n: (row) => rowActs.get(row)?.note(),
};

async function primary(habit) {
  if (isSettled(habit) && !(isCounted(habit) && habit.state === 'done')) {
    await undo(habit, habit.date);
  } else if (asksAmount(habit)) {
    askAmount(habit, habit.date);
  } else {
    const { date } = habit;
    await done(habit, isCounted(habit) ? { date, amount: 1_000 } : { date });
  }
}

function tool(name, word, rest, run) {
  const label = `${word} ${rest}`.trim();
  return h(
    'button',
    { type: 'button', class: `icon-button tool tool-${name}`, 'data-label': label, onclick: run },
    icon(name), h('span', { class: 'tool-word' }, word),
  );
}

function nameTool(button, habit) {
  const label = button.dataset.label ?? 'More';
  button.setAttribute('aria-label', `${label}: ${habit.title}`);
  if (button.dataset.label) button.title = button.dataset.label;
}

function checkLabel(habit) {
  if (!canChange()) return dayState(habit.state);
  if (isCounted(habit)) {
    const verb = asksAmount(habit) ? 'Record' : 'Add one';
    return `${verb}: ${habit.title}${hasAmount(habit) ? `, ${progress(habit)}` : ''}`;
  }
  if (habit.state === 'done') return `Done: ${habit.title}. Take it back`;
  if (habit.state === 'skipped') return `Skipped: ${habit.title}. Take it back`;
  return `Done: ${habit.title}`;
}

function checkContent(habit) {
  if (habit.state === 'skipped') return [icon('skip')];
  const isDone = habit.state === 'done' && habit.direction !== 'atMost';
  // What invites to press is not for those who only look.
  const sign = (isDone || canChange()) && icon(isCounted(habit) && !isDone ? 'plus' : 'check');
  if (!isCounted(habit)) return [sign].filter(Boolean);
  const part = hasAmount(habit) && habit.target ? habit.amount / habit.target : 0;
  return [ring(part, habit.direction === 'atMost' && part > 1), sign].filter(Boolean);
}

function menuItems(habit, acts) {
  const items = [];
  if (isCounted(habit)) {
    items.push({ text: 'Record an amount', icon: 'plus', run: () => askAmount(habit, habit.date) });
  }
  if (isSettled(habit) || isCounted(habit)) {
    items.push({ text: 'Take back the last', icon: 'undo', run: acts.undo });
  }
  if (habit.state !== 'skipped') items.push({ text: 'Skip', icon: 'skip', run: acts.skip });
  for (const [text, minutes] of habit.canSnooze ? snoozes : []) {
    items.push({ text: `Snooze ${text}`, icon: 'snooze', run: () => acts.snooze(minutes) });
  }
  items.push({ text: 'Write a note', icon: 'note', run: acts.note });
  return items;
}
