// Rebuilds what is derived from the log, with its progress, which all windows show.

import { Problem, readLines } from '../core/api.js';
import { h } from '../core/dom.js';
import { onRebuild } from '../core/live.js';
import { showMessage, showProblem, speak } from '../core/messages.js';
import { counted } from '../core/words.js';

/** Creates the part. */
export function rebuildPart() {
  const bar = h('progress', { 'aria-label': 'Rebuild', max: '1', value: '0', hidden: true });
  const text = h('p', { class: 'muted' });
  const button = h('button', { type: 'button', class: 'button', onclick: run }, 'Rebuild');
  function show({ done, total }) {
    button.disabled = total !== null;
    bar.hidden = total === null;
    if (total) bar.value = done / total;
    else bar.removeAttribute('value');
    text.textContent = total ? `${done.toLocaleString('en')} of ${counted(total, 'event')}` : '';
  }
  onRebuild(show);
  async function run() {
    show({ done: 0, total: 0 });
    speak('Rebuilding');
    try {
      const last = await rebuild();
      showMessage(`Rebuilt from ${counted(last?.events ?? 0, 'event')}`);
    } catch (error) {
      showProblem(error);
    }
    show({ done: null, total: null });
    button.focus();
  }
  return h(
    'details', { class: 'maintenance' }, h('summary', {}, 'Rebuild'),
    h('p', {}, 'Everything that you see is derived from the log. A rebuild derives it again. '
      + 'The page works meanwhile.'),
    h('div', { class: 'buttons' }, button), bar, text,
  );
}

// The progress comes by the live stream.
async function rebuild() {
  let last = null;
  await readLines('POST', '/v1/rebuild', (line) => {
    if (line.error) throw new Problem(line.error.status, line.error);
    last = line;
  });
  return last;
}
