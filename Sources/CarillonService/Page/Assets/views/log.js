// Every event, newest first, with a filter; and a rebuild of what is derived from them.

import { Unreachable, lastRead, read, readAndKeep, readLines } from '../core/api.js';
import { h, setText } from '../core/dom.js';
import { watchAll } from '../core/documents.js';
import { eventWords } from '../core/event-words.js';
import { list } from '../core/list.js';
import { showProblem } from '../core/messages.js';
import { isOwner } from '../core/session.js';
import { clock, dateOf, dayName, timeInZone } from '../core/times.js';
import { counted } from '../core/words.js';
import { empty } from '../parts/empty.js';
import { rebuildPart } from '../parts/rebuild.js';

const pageSize = 500;
const enough = 60;
const keptPage = '/v1/events';
const habitsPath = '/v1/habits?archived=true&deleted=true';

/** What it shows without the service, with the newest events. */
export const documents = ['/v1/status', habitsPath, '/v1/pending'];

/** Keeps the newest events for the time without the service. */
export async function keep() {
  const { checkpoint } = await read('/v1/status');
  await readNewest(checkpoint);
}

/** Opens the view. */
export function open(main) {
  const filter = h('input', {
    type: 'search', placeholder: 'Filter', 'aria-label': 'Filter events',
  });
  const type = h(
    'select', { 'aria-label': 'Type of event' }, h('option', { value: '' }, 'All types'),
  );
  const count = h('p', { class: 'day-summary', role: 'status' });
  const nothing = h('div', {});
  const rows = h('ol', { class: 'log-rows' });
  const older = h('button', { type: 'button', class: 'button', hidden: true }, 'Show older');
  main.append(
    h('div', { class: 'view-head' }, h('h1', {}, 'Log')),
    h('div', { class: 'toolbar' }, filter, type), count, nothing, rows, older,
    ...isOwner() ? [rebuildPart()] : [],
  );
  const shown = list(rows, (row) => row.id, logRow);
  let events = [];
  let first = null;
  let last = 0;
  let titles = new Map();
  let work = Promise.resolve();
  let zone = 'UTC';
  const stop = watchAll(documents, (status, habits, pending) => {
    zone = pending.zone;
    titles = new Map(habits.habits.map((habit) => [habit.id, habit.title]));
    inTurn(() => readNew(status.checkpoint));
  });

  function inTurn(step) {
    work = work.then(step).catch(showProblem);
    return work;
  }

  async function readNew(checkpoint) {
    if (first === null) await readFirst(checkpoint);
    else if (checkpoint > last) {
      events = [...(await page(last, checkpoint - last)).reverse(), ...events];
      last = checkpoint;
    }
    show();
  }

  // Without the service, the kept events are shown until it is back.
  async function readFirst(checkpoint) {
    try {
      events = (await readNewest(checkpoint)).reverse();
      first = firstOfNewest(checkpoint);
      last = checkpoint;
    } catch (error) {
      const kept = error instanceof Unreachable ? await lastRead(keptPage) : null;
      if (kept === null) throw error;
      events = linesOf(kept).reverse();
    }
  }

  // Goes back until a screen is filled with what the filter wants.
  async function readOlder() {
    const goal = found().length + enough;
    while (first !== null && first > 0 && found().length < goal) {
      const after = Math.max(0, first - pageSize);
      events = [...events, ...(await page(after, first - after)).reverse()];
      first = after;
    }
  }

  async function page(after, limit) {
    const lines = [];
    await readLines('GET', `/v1/events?after=${after}&limit=${limit}`, (one) => lines.push(one));
    return lines;
  }

  function found() {
    const words = filter.value.trim().toLowerCase();
    return events.filter((event) =>
      (!type.value || event.type === type.value)
      && (!words || searchText(event).includes(words)));
  }

  const searchText = (event) =>
    [event.type, titles.get(event.habit), event.name, eventWords(event, titles, zone)].join(' ')
      .toLowerCase();

  function show() {
    showTypes();
    const matching = found();
    const newest = `the newest ${counted(events.length, 'event')}`;
    const isAll = matching.length === events.length;
    rows.hidden = matching.length === 0;
    nothing.replaceChildren(
      ...matching.length > 0 ? [] : [empty('No event matches the filter.')]);
    setText(count, isAll ? `Showing ${newest}` : `${matching.length} of ${newest}`);
    older.hidden = first === null || first === 0;
    shown.show(matching.map((event) => ({
      id: event.id, event, words: eventWords(event, titles, zone),
      at: timeInZone(event.timestamp, zone),
      today: dateOf(timeInZone(Date.now(), zone)),
    })));
  }

  function showTypes() {
    const types = [...new Set(events.map((event) => event.type))].sort();
    if (type.options.length === types.length + 1) return;
    const chosen = type.value;
    type.replaceChildren(
      h('option', { value: '' }, 'All types'),
      ...types.map((one) => h('option', { value: one, selected: one === chosen }, one)),
    );
  }

  const filterChanged = () => {
    show();
    if (found().length < enough) inTurn(readOlder).then(show);
  };
  older.addEventListener('click', () => inTurn(readOlder).then(show));
  filter.addEventListener('input', filterChanged);
  type.addEventListener('change', filterChanged);
  return {
    title: 'Log',
    close() {
      stop();
      shown.close();
    },
  };
}

const firstOfNewest = (checkpoint) => Math.max(0, checkpoint - pageSize);
const linesOf = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

async function readNewest(checkpoint) {
  const after = firstOfNewest(checkpoint);
  const path = `/v1/events?after=${after}&limit=${Math.max(1, checkpoint - after)}`;
  return linesOf(await readAndKeep(path, keptPage));
}

function logRow(first) {
  // A sentence with a title in it, which may be of another direction.
  const words = h('span', { class: 'log-words', dir: 'ltr' });
  const element = h('li', {}, details(first, words));
  const update = (row) => setText(words, row.words);
  update(first);
  return { element, update };
}

function details(row, words) {
  const { event } = row;
  const json = h('pre', {
    class: 'log-json', tabindex: '0', role: 'region', 'aria-label': 'The event as JSON',
  });
  const element = h(
    'details', { class: 'log-row' },
    h(
      'summary', {},
      h('span', { class: 'log-time' },
        `${dayName(dateOf(row.at), row.today)} ${clock(row.at)}`),
      words,
      h('span', { class: 'log-type' }, event.type ?? 'unreadable'),
      h('bdi', { class: 'log-device' }, event.name ?? ''),
    ),
    json,
  );
  element.addEventListener('toggle', () => {
    if (element.open) json.textContent = JSON.stringify(event, null, 2);
  });
  return element;
}
