// The fields of one reminder, with its next five times as they are typed.

import { h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { oneSchedule } from '../core/rule-words.js';
import { nextTimes } from './next-times.js';
import { ruleFields, ruleKind, ruleKinds } from './rule-fields.js';
import { timesField } from './times-field.js';

const policies = [
  ['defer', 'wait until they end'], ['silent', 'come without sound'], ['drop', 'not come'],
  ['fire', 'come as usual'],
];
const kindsWithTimes = new Set(['weekly', 'everyDays', 'once', 'recurrence']);

/**
 * Creates the fields.
 *
 * @param schedule The schedule that is changed; null for a new one.
 * @param remove Called when the person removes the reminder.
 * @returns The element, `document()`, and `focus()`.
 */
export function scheduleFields(schedule, number, remove) {
  const kind = ruleKind(schedule?.rule);
  const isOther = kind === 'other';
  const select = h('select', {}, ruleKinds(isOther).map(([value, text]) =>
    h('option', { value, selected: value === kind }, text)));
  const ruleBox = h('div', {});
  const times = timesField(schedule ? (schedule.times ?? []) : ['08:00']);
  const unlessDone = h('input', {
    type: 'checkbox', checked: schedule ? (schedule.unless ?? []).includes('done') : true,
  });
  const policy = h('select', {}, policies.map(([value, text]) =>
    h('option', { value, selected: value === (schedule?.quietPolicy ?? 'defer') }, text)));
  const preview = nextTimes();
  let rule = null;

  function showRule() {
    rule = select.value === 'other' ? null : ruleFields(select.value, schedule?.rule);
    ruleBox.replaceChildren(...(rule ? [rule.element] : [h('p', {}, oneSchedule(schedule))]));
    times.element.hidden = !kindsWithTimes.has(select.value);
  }
  const document = () => {
    const old = schedule ?? {};
    const rest = (old.unless ?? []).filter((one) => one !== 'done');
    const unless = unlessDone.checked ? ['done', ...rest] : rest;
    const members = {
      ...old, rule: rule ? rule.rule() : old.rule,
      times: kindsWithTimes.has(select.value) ? times.times() : (old.times ?? []),
    };
    setOrLeaveOut(members, 'unless', unless, unless.length > 0 || Boolean(old.unless));
    setOrLeaveOut(members, 'quietPolicy', policy.value,
      policy.value !== 'defer' || Boolean(old.quietPolicy));
    return members;
  };
  const update = () => preview.show(document());
  select.addEventListener('change', () => {
    showRule();
    // Such a reminder waits until it is done, and would never come.
    if (select.value === 'afterDone') unlessDone.checked = false;
  });
  showRule();

  const heading = `Reminder ${number}`;
  const element = h(
    'fieldset', { class: 'form-part schedule', oninput: update, onchange: update },
    h('legend', {}, heading),
    h('label', { class: 'field' }, 'When', select), ruleBox, times.element,
    h('label', { class: 'check-line' }, unlessDone, 'Not if it is done already'),
    h('label', { class: 'field' }, 'In quiet hours it should', policy),
    preview.element,
    h('button', {
      type: 'button', class: 'button subtle', 'aria-label': `Remove ${heading}`, onclick: remove,
    }, icon('trash'), 'Remove'),
  );
  update();
  return { element, document, focus: () => select.focus() };
}

function setOrLeaveOut(members, name, value, isSet) {
  if (isSet) members[name] = value;
  else delete members[name];
}
