// Keys for everything. Single letters can be turned off, for speech input and for habits of hand.

import { h } from './dom.js';
import { dialog } from '../parts/dialog.js';
import { undoLast } from './messages.js';
import { go } from './router.js';
import { canChange } from './session.js';

const storageName = 'carillon-keys';
const views = ['today', 'coming', 'habits', 'history', 'devices', 'log'];

const moves = [
  ['1 to 6', 'Today, Coming, Habits, History, Devices, Log'],
  ['J or ↓, K or ↑', 'Next and previous habit'],
  ['Enter', 'Open the habit'],
  ['/', 'Filter'],
  ['?', 'Show these keys'],
];
const acts = [
  ['D', 'Done, or one more'],
  ['S', 'Skip'],
  ['Z', 'Snooze for 15 minutes'],
  ['N', 'Write a note'],
  ['Ctrl+Enter', 'Save the note'],
  ['U', 'Undo the last act, then the one before'],
  ['A', 'Add a habit'],
];

const isOn = () => localStorage.getItem(storageName) !== 'off';

/** Listens to the keys that work in every view. */
export function startKeys() {
  document.getElementById('keys').addEventListener('click', showHelp);
  document.addEventListener('keydown', (event) => {
    if (!isPlain(event)) return;
    if (event.key >= '1' && event.key <= '6') go(views[event.key - 1]);
    else if (event.key === 'u' && canChange()) undoLast();
    else if (event.key === 'a' && canChange()) go('habits/new');
    else if (event.key === '?') showHelp();
    else if (event.key === '/') document.querySelector('#main [type=search]')?.focus();
    else return;
    event.preventDefault();
  });
}

/** Whether a key is a command, and not part of a text or of a shortcut of the browser. */
export const isPlain = (event) =>
  isOn() && !event.ctrlKey && !event.altKey && !event.metaKey && !event.defaultPrevented
  && !event.target.closest('input, textarea, select, dialog, [role=menu]');

function showHelp() {
  const toggle = h('input', {
    type: 'checkbox', checked: isOn(),
    onchange: (event) => localStorage.setItem(storageName, event.target.checked ? 'on' : 'off'),
  });
  const help = [...moves, ...canChange() ? acts : []];
  dialog('Keys', [
    h('dl', { class: 'keys' }, help.map(([key, what]) => [h('dt', {}, key), h('dd', {}, what)])),
    h('label', { class: 'check-line' }, toggle, 'Use single letters as commands'),
  ]);
}
