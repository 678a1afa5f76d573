// Adds a habit, or changes one: its fields and its reminders.

import { act } from '../core/actions.js';
import { change, read } from '../core/api.js';
import { h } from '../core/dom.js';
import { draft, forgetDraft, keepDraft } from '../core/drafts.js';
import { icon } from '../core/icons.js';
import { go } from '../core/router.js';
import { sentence } from '../core/words.js';
import { confirmed } from '../parts/dialog.js';
import { empty } from '../parts/empty.js';
import { habitFields } from '../parts/habit-fields.js';
import { scheduleFields } from '../parts/schedule-fields.js';

/** Opens the form; without an id it adds a habit. */
export function openForm(main, id) {
  const title = id ? 'Edit a habit' : 'Add a habit';
  const body = h('div', {});
  main.append(h('div', { class: 'view-head' }, h('h1', {}, title)), body);
  if (id) {
    load(id).then((habit) => build(body, habit), (error) =>
      body.append(empty(sentence(error.message), ['All habits', '#/habits'])));
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
  const draftName = `habit ${habit?.id ?? ''}`;
  const typed = draft(draftName);
  const fields = habitFields(habit, typed?.members ?? habit);
  const before = typed?.schedules ?? habit?.schedules ?? [null];
  const keep = () =>
    keepDraft(draftName, { members: fields.members(), schedules: reminders.documents() });
  const reminders = reminderFields(before, keep);

  const form = h(
    'form', { class: 'habit-form', oninput: keep, onchange: keep },
    typed && draftNotice(() => {
      forgetDraft(draftName);
      body.replaceChildren();
      build(body, habit);
    }),
    fields.element, h('h2', {}, 'Reminders'), reminders.elements, fields.more,
    h(
      'div', { class: 'buttons form-end' },
      h('button', { class: 'button primary' }, habit ? 'Save' : 'Add the habit'),
      h('a', {
        class: 'button', href: habit ? `#/habits/${habit.id}` : '#/habits',
        onclick: (event) => leave(event, draftName),
      }, 'Cancel'),
    ),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const id = habit
      ? await save(habit, fields.changes(), reminders.documents())
      : await create(fields.changes(), reminders.documents());
    if (id === null) return;
    forgetDraft(draftName);
    go(`habits/${id}`);
  });
  body.append(form);
  if (!habit) fields.focus();
}

/** The fields of all reminders, and the button that adds one. */
function reminderFields(before, changed) {
  const parts = [];
  const box = h('div', { class: 'schedules' });
  const add = (schedule) => {
    const part = scheduleFields(schedule, parts.length + 1, () => {
      parts.splice(parts.indexOf(part), 1);
      part.element.remove();
      button.focus();
      changed();
    });
    parts.push(part);
    box.append(part.element);
    return part;
  };
  const button = h('button', {
    type: 'button', class: 'button', onclick: () => add(null).focus(),
  }, icon('plus'), 'Add a reminder');
  for (const schedule of before) add(schedule);
  return { elements: [box, button], documents: () => parts.map((part) => part.document()) };
}

const draftNotice = (discard) =>
  h(
    'p', { class: 'notice' }, 'This is what you typed before. It is not saved yet. ',
    h('button', { type: 'button', class: 'link-button', onclick: discard }, 'Discard it'),
  );

// Cancel throws away what was typed, so it asks; every other way out keeps it.
async function leave(event, draftName) {
  if (draft(draftName) === null) return;
  event.preventDefault();
  const { hash } = event.currentTarget;
  const text = 'What you typed is not saved.';
  if (!await confirmed('Discard the changes?', text, 'Discard')) return;
  forgetDraft(draftName);
  location.hash = hash;
}

/** Adds a habit, and returns its ID; null if that did not work. */
async function create(fields, schedules) {
  let id = null;
  const members = { ...fields, schedules };
  const added = await act(
    `${fields.title}: added`,
    async () => {
      const answer = await change('POST', '/v1/habits', members).catch((error) =>
        addAgain(error, members));
      id = answer?.habit ?? null;
      return answer;
    },
    ({ habit }) => () => removeAdded(habit),
  );
  return added ? id : null;
}

// Its page would show a deleted habit.
async function removeAdded(id) {
  await change('DELETE', `/v1/habits/${id}`);
  if (location.hash.startsWith(`#/habits/${id}`)) go('habits');
}

// A second habit of a title is allowed if the person wants it. After Cancel there is no answer.
async function addAgain(error, members) {
  if (error.code !== 'alreadyExists') throw error;
  const title = `Add a second ${members.title}?`;
  if (!await confirmed(title, 'There is already a habit of this title.', 'Add it')) return null;
  return change('POST', '/v1/habits?again=true', members);
}

/** Saves a habit, and returns its ID; null if that did not work. */
async function save(habit, fields, schedules) {
  const path = `/v1/habits/${habit.id}`;
  const saved = await act(`${fields.title ?? habit.title}: saved`, async () => {
    if (Object.keys(fields).length > 0) await change('PATCH', path, fields);
    await saveSchedules(path, habit.schedules, schedules);
  });
  return saved ? habit.id : null;
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
