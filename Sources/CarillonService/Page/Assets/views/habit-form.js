// Adds a habit, or changes one: its fields and its reminders.

import { act } from '../core/actions.js';
import { change, read } from '../core/api.js';
import { h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { showProblem } from '../core/messages.js';
import { go } from '../core/router.js';
import { confirmed } from '../parts/dialog.js';
import { habitFields } from '../parts/habit-fields.js';
import { scheduleFields } from '../parts/schedule-fields.js';

/** Opens the form; without an id it adds a habit. */
export function openForm(main, id) {
  const title = id ? 'Edit a habit' : 'Add a habit';
  const body = h('div', {});
  main.append(h('div', { class: 'view-head' }, h('h1', {}, title)), body);
  if (id) {
    load(id).then((habit) => build(body, habit), showProblem);
  } else {
    build(body, null);
  }
  return { title, close() {} };
}

async function load(id) {
  const { habits } = await read('/v1/habits?archived=true&deleted=true');
  const habit = habits.find((one) => one.id === id);
  if (!habit) throw new Error('There is no such habit.');
  return habit;
}

function build(body, habit) {
  const fields = habitFields(habit);
  const before = habit ? habit.schedules : [];
  const parts = [];
  const schedules = h('div', { class: 'schedules' });
  const add = (schedule) => {
    const part = scheduleFields(schedule, parts.length + 1, () => {
      parts.splice(parts.indexOf(part), 1);
      part.element.remove();
      addButton.focus();
    });
    parts.push(part);
    schedules.append(part.element);
    return part;
  };
  const addButton = h('button', {
    type: 'button', class: 'button', onclick: () => add(null).focus(),
  }, icon('plus'), 'Add a reminder');
  for (const schedule of before) add(schedule);
  if (!habit) add(null);

  const form = h(
    'form', { class: 'habit-form' },
    fields.element, h('h2', {}, 'Reminders'), schedules, addButton, fields.more,
    h(
      'div', { class: 'buttons form-end' },
      h('button', { class: 'button primary' }, habit ? 'Save' : 'Add the habit'),
      h('a', { class: 'button', href: habit ? `#/habits/${habit.id}` : '#/habits' }, 'Cancel'),
    ),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const documents = parts.map((part) => part.document());
    await (habit ? save(habit, fields.changes(), documents) : create(fields.changes(), documents));
  });
  body.append(form);
  if (!habit) fields.focus();
}

async function create(fields, schedules) {
  let id = null;
  const members = { ...fields, schedules };
  const added = await act(
    `${fields.title}: added`,
    async () => {
      const answer = await change('POST', '/v1/habits', members).catch((error) =>
        addAgain(error, members));
      id = answer.habit;
      return answer;
    },
    (answer) => change('DELETE', `/v1/habits/${answer.habit}`),
  );
  if (added) go(`habits/${id}`);
}

// A second habit of a title is allowed if the person wants it.
async function addAgain(error, members) {
  if (error.code !== 'alreadyExists') throw error;
  const title = `Add a second ${members.title}?`;
  if (!await confirmed(title, 'There is already a habit of this title.', 'Add it')) throw error;
  return change('POST', '/v1/habits?again=true', members);
}

async function save(habit, fields, schedules) {
  const path = `/v1/habits/${habit.id}`;
  const saved = await act(`${fields.title ?? habit.title}: saved`, async () => {
    if (Object.keys(fields).length > 0) await change('PATCH', path, fields);
    await saveSchedules(path, habit.schedules, schedules);
  });
  if (saved) go(`habits/${habit.id}`);
}

async function saveSchedules(path, before, after) {
  for (const schedule of after) {
    const { id, ...members } = schedule;
    const old = before.find((one) => one.id === id);
    if (!old) await change('POST', `${path}/schedules`, members);
    else if (JSON.stringify(old) !== JSON.stringify(schedule)) {
      await change('PUT', `${path}/schedules/${id}`, members);
    }
  }
  for (const old of before) {
    if (after.some((one) => one.id === old.id)) continue;
    await change('DELETE', `${path}/schedules/${old.id}`);
  }
}
