// What the page says after an act: a message with its undo, and what a screen reader says.

import { h } from './dom.js';
import { icon } from './icons.js';
import { sentence } from './words.js';

const shownMilliseconds = 15_000;
let timer = null;
let lastUndo = null;

/**
 * Says what was done.
 *
 * @param text The message.
 * @param undo Takes the act back; null if that is not possible.
 */
export function showMessage(text, undo = null) {
  lastUndo = undo;
  speak(undo ? `${text}. Press U to undo.` : text);
  present(text, null, undo, 'message');
}

/** Says why something did not work, and what to do next. */
export function showProblem(error) {
  speak(`${error.message}. ${error.hint ?? ''}`);
  present(sentence(error.message), error.hint && sentence(error.hint), null, 'message problem');
}

/** Takes back the last act. */
export async function undoLast() {
  const undo = lastUndo;
  if (!undo) return;
  lastUndo = null;
  hide();
  await undo();
}

/** Has a screen reader say a text, politely. */
export function speak(text) {
  document.getElementById('spoken').textContent = text;
}

function present(text, hint, undo, className) {
  clearTimeout(timer);
  const box = h(
    'div', { class: className },
    h('div', { class: 'message-text' }, h('bdi', {}, text), hint && h('small', {}, hint)),
    undo && h('button', { type: 'button', class: 'message-undo', onclick: undoLast }, 'Undo'),
    h(
      'button',
      { type: 'button', class: 'icon-button', 'aria-label': 'Close the message', onclick: hide },
      icon('close'),
    ),
  );
  document.getElementById('messages').replaceChildren(box);
  hideLater(box);
}

// A message stays while it is pointed at or has the focus.
function hideLater(box) {
  timer = setTimeout(() => {
    if (box.matches(':hover') || box.contains(document.activeElement)) hideLater(box);
    else hide();
  }, shownMilliseconds);
}

function hide() {
  clearTimeout(timer);
  document.getElementById('messages').replaceChildren();
}
