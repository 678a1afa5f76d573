// The devices: what each is, what it lacks, and whether this one shows reminders.

import { readLines } from '../core/api.js';
import { h, titleText } from '../core/dom.js';
import { watchAll } from '../core/documents.js';
import { showProblem } from '../core/messages.js';
import { distance, moment } from '../core/times.js';
import { capital, counted, roleName } from '../core/words.js';
import { browserAlerts } from '../parts/browser-alerts.js';
import { signOut } from '../parts/sign-out.js';

const newestEvents = 1_000;

/** Opens the view. */
export function open(main) {
  const notices = h('div', {});
  const cards = h('ul', { class: 'cards' });
  const alerts = browserAlerts();
  main.append(
    h('div', { class: 'view-head' }, h('h1', {}, 'Devices')),
    notices, cards, h('div', { class: 'cards' }, alerts.element, signOut()),
  );
  let turn = 0;
  const stop = watchAll(
    ['/v1/replicas', '/v1/status', '/v1/permission', '/v1/today'],
    async (replicas, status, permission, today) => {
      alerts.show(permission);
      notices.replaceChildren(...healthNotices(status, today.date));
      turn += 1;
      const mine = turn;
      const behind = await newEventsByOthers(status).catch((error) => {
        showProblem(error);
        return new Map();
      });
      if (mine !== turn) return;
      cards.replaceChildren(...replicas.replicas.map((one) =>
        card(one, status, permission, today.date, behind)));
    },
  );
  return { title: 'Devices', close: stop };
}

// What the others recorded after a device's newest event may not be on it yet.
async function newEventsByOthers(status) {
  const after = Math.max(0, status.checkpoint - newestEvents);
  const seen = new Map();
  let count = 0;
  const own = new Map();
  await readLines('GET', `/v1/events?after=${after}&limit=${newestEvents}`, (event) => {
    count += 1;
    own.set(event.replica, (own.get(event.replica) ?? 0) + 1);
    seen.set(event.replica, { count, own: own.get(event.replica) });
  });
  const behind = new Map();
  for (const [replica, last] of seen) behind.set(replica, count - last.count);
  return {
    of: (replica) => behind.get(replica) ?? count,
    isAtLeast: (replica) => after > 0 && !seen.has(replica),
  };
}

function card(one, status, permission, today, behind) {
  const isThis = one.replica === status.replica.id;
  const lines = [];
  if (one.retired) lines.push(['muted', 'No longer in use.']);
  if (one.lastEvent) {
    const at = moment(one.lastEvent, today);
    lines.push(['muted', `Newest change ${at}, ${distance(one.lastEvent)}`]);
  }
  if (isThis) {
    lines.push(['', `It has everything: ${counted(status.events, 'event')}.`]);
    lines.push(['', `${capital(status.reminders.detail)}.`]);
    if (status.coverageUntil) {
      lines.push(['muted', `Reminders are planned until ${moment(status.coverageUntil, today)}.`]);
    }
    if (permission.blocked) lines.push(['warning', blockedWords(permission)]);
  } else if (!one.retired) {
    lines.push(lackWords(one, behind));
  }
  return h(
    'li', { class: `card${isThis ? ' this-device' : ''}` },
    h('h2', {}, titleText(one.name ?? 'Unnamed')),
    h('p', { class: 'muted' }, `${roleName(one.role)}${isThis ? ', this one' : ''}`),
    lines.map(([className, text]) => h('p', { class: className }, text)),
  );
}

function lackWords(one, behind) {
  if (!behind.of) return ['muted', ''];
  const count = behind.of(one.replica);
  if (count === 0) return ['', 'It has everything that it recorded and received.'];
  const most = behind.isAtLeast(one.replica) ? 'more than ' : 'up to ';
  return ['warning', `It may lack ${most}${counted(count, 'newer change')}. A sync brings them.`];
}

function blockedWords(permission) {
  if (!permission.alerts) return 'Reminders are turned off on this device.';
  return permission.status === 'denied'
    ? 'The system does not allow notifications on this device.'
    : 'This device may not show notifications yet.';
}

function healthNotices(status, today) {
  return [
    ...status.health.map((one) => h('p', { class: 'notice' }, `${capital(one)}.`)),
    ...(status.clockSkew ?? []).map((one) => h(
      'p', { class: 'notice' },
      `The clock of ${one.name ?? 'a device'} differs; compare it with another clock.`,
    )),
    status.leftOut.length > 0
      && h('details', { class: 'notice' }, ...leftOutContent(status, today)),
  ].filter(Boolean);
}

function leftOutContent(status, today) {
  return [
    h('summary', {}, `Reminders of ${counted(status.leftOut.length, 'habit')} do not all fit yet`),
    h('p', {}, 'A device holds a limited number of notifications. The next ones move up by '
      + 'themselves; fewer reminders make room.'),
    h('ul', { class: 'plain' }, status.leftOut.map((one) =>
      h('li', {}, titleText(one.title), ` from ${moment(one.since, today)}`))),
  ];
}

