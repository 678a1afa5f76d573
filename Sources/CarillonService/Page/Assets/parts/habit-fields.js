// The fields of a habit in its form.

import { h } from '../core/dom.js';

const kinds = [
  ['yesNo', 'Done or not'], ['atLeast', 'An amount to reach'],
  ['atMost', 'An amount not to exceed'],
];
const maxBytes = 200;

/**
 * Creates the fields.
 *
 * @param saved The habit that is changed; null for a new one.
 * @param habit The values to begin with, such as those of a draft; null for none.
 * @returns The elements, `members()`, and `changes()`: the members that differ from the habit's.
 */
export function habitFields(saved, habit) {
  const kind = habit?.kind === 'count' ? (habit.direction ?? 'atLeast') : 'yesNo';
  const title = text(habit?.title, { required: true, maxlength: maxBytes, autocomplete: 'off' });
  const radios = kinds.map(([value, words]) => {
    const input = h('input', { type: 'radio', name: 'kind', value, checked: value === kind });
    input.addEventListener('change', showAmount);
    return { input, label: h('label', { class: 'choice' }, input, words) };
  });
  const target = h('input', {
    type: 'number', min: '0', step: 'any', inputmode: 'decimal',
    value: (habit?.target ?? null) === null ? '' : habit.target / 1000,
  });
  const unit = text(habit?.unit, { placeholder: 'glasses, pages, km' });
  const amounts = h(
    'div', { class: 'field-pair' }, field('Amount a day', target), field('Unit', unit),
  );
  const group = text(habit?.group);
  const goal = text(habit?.goal, {
    placeholder: '3/week', pattern: '[0-9]+/(day|week|month|[0-9]+d)',
    title: 'A number and a period: 3/week, 2/month, 5/7d',
  });
  const question = text(habit?.question, { placeholder: 'Did you walk today?' });
  const notes = h('textarea', { rows: '3', dir: 'auto' });
  notes.value = habit?.notes ?? '';
  const start = h('input', { type: 'date', value: habit?.start });
  const end = h('input', { type: 'date', value: habit?.end });

  const chosen = () => radios.find((one) => one.input.checked).input.value;
  function showAmount() {
    amounts.hidden = chosen() === 'yesNo';
    target.required = !amounts.hidden;
  }
  showAmount();
  title.addEventListener('input', () => {
    const over = new TextEncoder().encode(title.value).length - maxBytes;
    title.setCustomValidity(over > 0 ? `The title is ${over} bytes too long.` : '');
  });

  function members() {
    const isCounted = chosen() !== 'yesNo';
    return {
      title: title.value.trim(), kind: isCounted ? 'count' : 'yesNo',
      unit: isCounted && unit.value.trim() ? unit.value.trim() : null,
      target: isCounted && target.value !== '' ? Math.round(target.value * 1000) : null,
      direction: chosen() === 'atMost' ? 'atMost' : 'atLeast',
      group: group.value.trim() || null, goal: goal.value.trim() || null,
      question: question.value.trim() || null, notes: notes.value.trim() || null,
      start: start.value || null, end: end.value || null,
    };
  }
  return {
    element: h(
      'div', { class: 'form-part' }, field('What do you want to do?', title),
      h('fieldset', { class: 'choices' }, h('legend', {}, 'What counts'),
        radios.map((one) => one.label)),
      amounts,
    ),
    more: h(
      'details', { class: 'form-part' }, h('summary', {}, 'More'),
      field('Group', group), field('Goal, such as 3/week', goal),
      field('Question of the reminder', question), field('About it', notes),
      h('div', { class: 'field-pair' }, field('First day', start), field('Last day', end)),
    ),
    focus: () => title.focus(),
    members,
    changes: () => differing(members(), saved),
  };
}

const defaults = { kind: 'yesNo', direction: 'atLeast' };

function differing(members, habit) {
  const old = (name) => habit?.[name] ?? defaults[name] ?? null;
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => value !== old(name)));
}

const text = (value, properties = {}) =>
  h('input', { type: 'text', dir: 'auto', value: value ?? '', ...properties });

const field = (label, control) => h('label', { class: 'field' }, label, control);
