// The fields of a reminder's rule, by its kind.

import { h } from '../core/dom.js';
import { weekdays } from '../core/rule-words.js';
import { browserTime, dateOf } from '../core/times.js';

const kinds = [
  ['weekly', 'On days of the week'], ['everyDays', 'Every few days'], ['once', 'Once'],
  ['interval', 'Every few hours'], ['afterDone', 'Some time after it was done'],
  ['recurrence', 'By a rule of RFC 5545'],
];
const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** The kinds that the form offers; the last is one that it keeps as it is. */
export const ruleKinds = (withOther) =>
  withOther ? [...kinds, ['other', 'As it is']] : kinds;

/** The kind of a rule, `weekly` without one. */
export function ruleKind(rule) {
  if (!rule) return 'weekly';
  if (rule.interval) return rule.anchor ? 'afterDone' : 'interval';
  return ['weekly', 'everyDays', 'once', 'recurrence'].find((kind) => rule[kind]) ?? 'other';
}

/** Creates the fields of a kind; `rule()` returns the rule. */
export function ruleFields(kind, old) {
  const same = ruleKind(old) === kind && old ? old : {};
  return { weekly, everyDays, once, interval, afterDone, recurrence }[kind](same);
}

function weekly(old) {
  const boxes = weekdays.map((day, index) => {
    const input = h('input', {
      type: 'checkbox', value: day, checked: old.weekly ? old.weekly.includes(day) : true,
    });
    const name = h('span', {}, dayNames[index]);
    return { input, label: h('label', { class: 'day-chip' }, input, name) };
  });
  const chosen = () => boxes.filter((one) => one.input.checked).map((one) => one.input.value);
  return {
    element: h(
      'div', { class: 'day-chips', role: 'group', 'aria-label': 'Days' },
      boxes.map((one) => one.label),
    ),
    rule: () => ({ weekly: chosen() }),
  };
}

function everyDays(old) {
  const days = number(old.everyDays ?? 2, { min: '1', max: '3650' });
  const from = h('input', { type: 'date', value: old.from ?? today(), required: true });
  return {
    element: pair(['Every how many days', days], ['Counted from', from]),
    rule: () => ({ everyDays: Number(days.value), from: from.value }),
  };
}

function once(old) {
  const date = h('input', { type: 'date', value: old.once ?? today(), required: true });
  return { element: pair(['On', date]), rule: () => ({ once: date.value }) };
}

function interval(old) {
  const length = lengthField(old.interval ?? 7_200);
  const [start, end] = (old.window ?? '08:00-20:00').split('-');
  const from = h('input', { type: 'time', value: start, required: true });
  const to = h('input', { type: 'time', value: end, required: true });
  return {
    element: h(
      'div', {}, length.element, pair(['From', from], ['To (not included)', to]),
    ),
    rule: () => ({
      ...old, interval: length.seconds(), from: old.from ?? instant(from.value),
      window: `${from.value}-${to.value}`,
    }),
  };
}

function afterDone(old) {
  const length = lengthField(old.interval ?? 14_400);
  return {
    element: length.element,
    rule: () => ({
      anchor: 'entry', ...old, interval: length.seconds(), from: old.from ?? instant('00:00'),
    }),
  };
}

function recurrence(old) {
  const text = h('textarea', { rows: '3', required: true, spellcheck: 'false', dir: 'ltr' });
  text.value = old.recurrence
    ?? `DTSTART:${today().replaceAll('-', '')}\nRRULE:FREQ=MONTHLY;BYDAY=-1FR`;
  return {
    element: h('label', { class: 'field' }, 'The rule', text),
    rule: () => ({ recurrence: text.value.trim() }),
  };
}

function lengthField(total) {
  const isHours = total % 3_600 === 0;
  const count = number(isHours ? total / 3_600 : Math.round(total / 60), { min: '1' });
  const unit = h(
    'select', {}, h('option', { value: 60, selected: !isHours }, 'minutes'),
    h('option', { value: 3_600, selected: isHours }, 'hours'),
  );
  return {
    element: pair(['Time between', count], ['Unit', unit]),
    seconds: () => Number(count.value) * Number(unit.value),
  };
}

const today = () => dateOf(browserTime());
const instant = (time) =>
  new Date(`${today()}T${time || '00:00'}`).toISOString().replace('.000', '');
const number = (value, properties) =>
  h('input', {
    type: 'number', step: '1', inputmode: 'numeric', required: true, value, ...properties,
  });
const pair = (...fields) =>
  h('div', { class: 'field-pair' },
    fields.map(([label, control]) => h('label', { class: 'field' }, label, control)));
