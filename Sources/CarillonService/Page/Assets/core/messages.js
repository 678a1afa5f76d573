// What the page says after an act: a message with its undo, and what a screen reader says.

import { isOffline } from './connection.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { sentence } from './words.js';

const shownMilliseconds = 15_000;
const mostUndos = 50;
let timer = null;
// What takes back the acts that were not taken back yet, the last one at the end.
let undos = [];
let undoing = Promise.resolve();

/**
 * Says what was done.
 *
 * @param text The message.
 * @param undo Takes the act back, and returns whether it did; null if that is not possible.
 */
export function showMessage(text, undo = null) {
  if (undo) undos = [...undos, undo].slice(-mostUndos);
  speak(undo ? `${text}. Press U to undo.` : text);
  present(text, null, undo, 'message');
}

/** Says why something did not work, and what to do next. */
export function showProblem(error) {
  speak(`${error.message}. ${error.hint ?? ''}`);
  present(sentence(error.message), error.hint && sentence(error.hint), null, 'message problem');
}

/** Takes back the last act that was not taken back yet. */
export function undoLast() {
  const undo = undos.pop();
  if (!undo) {
    showMessage('There is nothing to undo');
    return;
  }
  hide();
  undoing = undoing.then(async () => {
    // It can be repeated once the service is back.
    if (!await undo() && isOffline()) undos.push(undo);
  });
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
