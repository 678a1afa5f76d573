// Rebuilds what is derived from the log, with its progress.

import { Problem, readLines } from '../core/api.js';
import { h } from '../core/dom.js';
import { showMessage, showProblem, speak } from '../core/messages.js';
import { counted } from '../core/words.js';

/** Creates the part. */
export function rebuildPart() {
  const bar = h('progress', { 'aria-label': 'Rebuild', max: '1', value: '0', hidden: true });
  const text = h('p', { class: 'muted' });
  const button = h('button', { type: 'button', class: 'button', onclick: run }, 'Rebuild');
  async function run() {
    button.disabled = true;
    bar.hidden = false;
    bar.removeAttribute('value');
    speak('Rebuilding');
    try {
      const last = await rebuild(bar, text);
      showMessage(`Rebuilt from ${counted(last?.events ?? 0, 'event')}`);
    } catch (error) {
      showProblem(error);
    }
    text.textContent = '';
    bar.hidden = true;
    button.disabled = false;
    button.focus();
  }
  return h(
    'details', { class: 'maintenance' }, h('summary', {}, 'Rebuild'),
    h('p', {}, 'Everything that you see is derived from the log. A rebuild derives it again. '
      + 'The page works meanwhile.'),
    h('div', { class: 'buttons' }, button), bar, text,
  );
}

async function rebuild(bar, text) {
  let last = null;
  await readLines('POST', '/v1/rebuild', (line) => {
    if (line.error) throw new Problem(line.error.status, line.error);
    last = line;
    if (!line.total) return;
    bar.value = line.done / line.total;
    text.textContent = `${line.done.toLocaleString('en')} of ${counted(line.total, 'event')}`;
  });
  return last;
}
