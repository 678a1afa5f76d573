// What happened to notifications, on all devices.

import { read } from '../core/api.js';
import { h, setText, titleText } from '../core/dom.js';
import { watchAll } from '../core/documents.js';
import { icon } from '../core/icons.js';
import { list } from '../core/list.js';
import { showProblem } from '../core/messages.js';
import { clock, dateOf, dayName, firedAt, moment } from '../core/times.js';
import { counted, receiptState } from '../core/words.js';
import { empty } from '../parts/empty.js';

const pageSize = 200;

/** What it shows without the service. */
export const documents = [
  `/v1/receipts?limit=${pageSize}`, '/v1/habits?archived=true&deleted=true', '/v1/replicas',
  '/v1/today',
];

/** Opens the view. */
export function open(main) {
  const filter = h('input', {
    type: 'search', placeholder: 'Filter', 'aria-label': 'Filter history',
  });
  const device = h('select', {}, h('option', { value: '' }, 'All devices'));
  const count = h('p', { class: 'day-summary', role: 'status' });
  const nothing = h('div', {});
  const rows = h('ol', { class: 'timeline' });
  const older = h('button', { type: 'button', class: 'button', hidden: true }, 'Show older');
  main.append(
    h('div', { class: 'view-head' }, h('h1', {}, 'History')),
    h(
      'div', { class: 'toolbar' }, filter,
      h('label', { class: 'inline-field' }, h('span', { class: 'unseen' }, 'Device'), device),
    ),
    count, nothing, rows, older,
  );
  const shown = list(rows, (row) => row.key, historyRow, (row) => Boolean(row.name));
  let receipts = [];
  let more = [];
  let today = '';
  let titles = new Map();
  let names = new Map();
  const stop = watchAll(documents, (document, habits, replicas, day) => {
    receipts = document.receipts;
    today = day.date;
    titles = new Map(habits.habits.map((habit) => [habit.id, habit.title]));
    names = new Map(replicas.replicas.map((one) => [one.replica, one.name]));
    older.hidden = receipts.length < pageSize;
    showDevices();
    show();
  });

  function showDevices() {
    if (device.options.length === names.size + 1) return;
    const chosen = device.value;
    device.replaceChildren(
      h('option', { value: '' }, 'All devices'),
      ...[...names].map(([value, name]) =>
        h('option', { value, selected: value === chosen }, name)),
    );
  }

  function show() {
    const words = filter.value.trim().toLowerCase();
    const all = [...receipts, ...more].map((one) => ({
      ...one, title: titles.get(one.habit) ?? one.title ?? one.source ?? one.key,
      device: names.get(one.replica) ?? 'another device',
    }));
    const found = all.filter((one) =>
      one.title.toLowerCase().includes(words) && (!device.value || one.replica === device.value));
    setText(count, all.length > 0 ? counted(found.length, 'notification') : '');
    nothing.replaceChildren(...found.length > 0 ? [] : [nothingFound(all.length > 0)]);
    shown.show(historyRows(found, today));
  }

  older.addEventListener('click', async () => {
    const last = [...receipts, ...more].at(-1);
    try {
      const after = encodeURIComponent(`${last.key} ${last.revision}`);
      const document = await read(`/v1/receipts?limit=${pageSize}&after=${after}`);
      more = [...more, ...document.receipts];
      older.hidden = document.receipts.length < pageSize;
      show();
    } catch (error) {
      showProblem(error);
    }
  });
  filter.addEventListener('input', show);
  device.addEventListener('change', show);
  return {
    title: 'History',
    close() {
      stop();
      shown.close();
    },
  };
}

const nothingFound = (hasReceipts) =>
  (hasReceipts
    ? empty('No notification matches the filter.')
    : empty(
      'No device has shown a notification yet. What devices show, and what you answer, is listed '
        + 'here.',
      ['See what comes', '#/coming'], ['Devices', '#/devices']));

function historyRows(receipts, today) {
  const rows = [];
  let date = null;
  for (const receipt of receipts) {
    const fired = dateOf(firedAt(receipt));
    if (fired !== date) rows.push({ key: `${fired} ${receipt.key}`, name: dayName(fired, today) });
    date = fired;
    rows.push({ ...receipt, key: `${receipt.key} ${receipt.revision} ${receipt.replica}`, today });
  }
  return rows;
}

function historyRow(first) {
  const element = h('li', {});
  function update(row) {
    element.className = row.name ? 'timeline-day' : 'timeline-row fired';
    element.replaceChildren(...(row.name ? [h('h2', {}, row.name)] : content(row)));
  }
  update(first);
  return { element, update };
}

const icons = { done: 'check', skip: 'skip', snooze: 'snooze' };

function content(row) {
  const answeredAt = row.at && row.state !== 'presumed' && row.at !== firedAt(row)
    ? ` ${moment(row.at, dateOf(firedAt(row)))}` : '';
  return [
    h('time', { class: 'timeline-time' }, clock(firedAt(row))),
    h('span', { class: `mark state-${row.action ?? row.state}` },
      icon(icons[row.action] ?? 'bell')),
    h(
      'span', { class: 'timeline-text' },
      row.habit ? titleText(row.title, 'a', { href: `#/habits/${row.habit}` })
        : titleText(row.title),
      h('small', {}, `${receiptState(row)}${answeredAt} · `, h('bdi', {}, row.device),
        row.text && [' · ', h('bdi', {}, row.text)]),
    ),
  ];
}
