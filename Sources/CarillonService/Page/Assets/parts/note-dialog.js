// Writes a note on a date of a habit.

import { note } from '../core/actions.js';
import { read } from '../core/api.js';
import { h } from '../core/dom.js';
import { draft, forgetDraft, keepDraft } from '../core/drafts.js';
import { showMessage, showProblem } from '../core/messages.js';
import { daysBetween, shortDate } from '../core/times.js';
import { dialog } from './dialog.js';

const maxBytes = 2_000;
// The habit's document has the notes of these dates; an older one would be replaced unseen.
const daysWithNotes = 13;

/** Whether the note of a date can be written. */
export const canNote = (date, today) => daysBetween(date, today) <= daysWithNotes;

/** Asks for the note of a date, with the one that is there. */
export async function askNote(habit, date) {
  let before;
  try {
    before = await noteOf(habit, date);
  } catch (error) {
    showProblem(error);
    return;
  }
  const text = h('textarea', { rows: '4', autofocus: true, dir: 'auto' });
  const draftName = `note ${habit.id} ${date}`;
  text.value = draft(draftName) ?? before ?? '';
  const left = h('span', { class: 'muted' });
  const form = h(
    'form', {},
    h('label', { class: 'field' }, `Note of ${shortDate(date)}`, text), left,
    draft(draftName) !== null && h('p', { class: 'muted' }, 'This is not saved yet.'),
    h('div', { class: 'buttons' }, h('button', { class: 'button primary' }, 'Save')),
  );
  const check = () => {
    const over = new TextEncoder().encode(text.value).length - maxBytes;
    text.setCustomValidity(over > 0 ? `The note is ${over} bytes too long.` : '');
    if (text.value === (before ?? '')) forgetDraft(draftName);
    else keepDraft(draftName, text.value);
    left.textContent = over > -200 ? `${Math.max(0, -over)} bytes left` : '';
  };
  text.addEventListener('input', check);
  const box = dialog(habit.title, form, 'small');
  let isSent = false;
  box.addEventListener('close', () => {
    if (isSent || draft(draftName) === null) return;
    showMessage(`${habit.title}: the note is not saved, and is there when you open it again`);
  });
  const save = async () => {
    if (!form.reportValidity()) return;
    isSent = true;
    box.close();
    if (await note(habit, date, text.value.trim(), before)) forgetDraft(draftName);
  };
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    // Else the browser presses the button that has the focus once the window is closed.
    event.preventDefault();
    save();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    save();
  });
}

// A date lists its own note first, and then those of its entries.
async function noteOf(habit, date) {
  const path = `/v1/habits/${encodeURIComponent(habit.id)}`;
  const [{ notes }, { entries }] = await Promise.all(
    [read(path), read(`${path}/entries?from=${date}&to=${date}`)]);
  const texts = notes.find((one) => one.date === date)?.notes ?? [];
  const ofEntries = entries.filter((entry) => entry.note).length;
  return texts.length > ofEntries ? texts[0] : null;
}
