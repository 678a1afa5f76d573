// The devices: what each is, what it lacks, and whether this one shows reminders.

import { alertsHere } from '../core/alerts.js';
import { Unreachable, readAndKeep, readLines } from '../core/api.js';
import { h, titleText } from '../core/dom.js';
import { watchAll } from '../core/documents.js';
import { showProblem } from '../core/messages.js';
import { canChange, isOwner } from '../core/session.js';
import { distance, moment, momentInText } from '../core/times.js';
import { capital, counted, roleName } from '../core/words.js';
import { accessList, accessPath } from '../parts/access-list.js';
import { browserAlerts } from '../parts/browser-alerts.js';
import { signOut } from '../parts/sign-out.js';

const newestEvents = 1_000;
const mostLeftOut = 20;

/** What it shows without the service. */
export const documents = ['/v1/replicas', '/v1/status', '/v1/permission', '/v1/today'];

/** Keeps who has access, which only the owner may see. */
export const keep = () => isOwner() && readAndKeep(accessPath);

/** Opens the view. */
export function open(main) {
  const notices = h('div', {});
  const cards = h('ul', { class: 'cards' });
  const access = isOwner() ? accessList() : null;
  let latest = null;
  const alerts = browserAlerts(() => latest && showCards(...latest));
  main.append(
    h('div', { class: 'view-head' }, h('h1', {}, 'Devices')),
    notices, cards,
    h('div', { class: 'cards' }, access?.element ?? '', canChange() ? alerts.element : '',
      signOut()),
  );
  let turn = 0;
  const stop = watchAll(documents, async (replicas, status, permission, today) => {
    alerts.show(permission, status);
    notices.replaceChildren(...healthNotices(status, today.date));
    turn += 1;
    const mine = turn;
    const behind = await newEventsByOthers(status).catch((error) => {
      if (!(error instanceof Unreachable)) showProblem(error);
      return null;
    });
    if (mine !== turn) return;
    latest = [replicas.replicas, status, permission, today.date, behind];
    showCards(...latest);
  });
  const showCards = (all, ...known) =>
    cards.replaceChildren(...all.map((one) => card(one, ...known)));
  return {
    title: 'Devices',
    close() {
      stop();
      access?.close();
    },
  };
}

// What the others recorded after a device's newest event may not be on it yet.
async function newEventsByOthers(status) {
  const after = Math.max(0, status.checkpoint - newestEvents);
  const seen = new Map();
  let count = 0;
  await readLines('GET', `/v1/events?after=${after}&limit=${newestEvents}`, (event) => {
    count += 1;
    seen.set(event.replica, count);
  });
  return {
    of: (replica) => count - (seen.get(replica) ?? 0),
    isAtLeast: (replica) => after > 0 && !seen.has(replica),
  };
}

function card(one, status, permission, today, behind) {
  const isThis = one.replica === status.replica.id;
  const lines = [];
  if (one.retired) lines.push(['muted', 'No longer in use.']);
  if (one.revoked) lines.push(['muted', 'Revoked: it cannot read what is new.']);
  if (one.lastEvent) {
    const at = momentInText(one.lastEvent, today);
    lines.push(['muted', `Newest change ${at}, ${distance(one.lastEvent)}`]);
  }
  if (isThis) {
    lines.push(['', `It has everything: ${counted(status.events, 'event')}.`]);
    lines.push(status.reminders.replica === null && one.role !== 'server'
      ? ['warning', blockedWords(permission)] : ['', remindWords(status, one)]);
    if (status.coverageUntil) {
      lines.push(['muted', `Reminders are planned until ${moment(status.coverageUntil, today)}.`]);
    }
  } else if (!one.retired && !one.revoked) {
    lines.push(lackWords(one, behind));
  }
  return h(
    'li', { class: `card${isThis ? ' this-device' : ''}` },
    h('h2', {}, titleText(one.name ?? 'Unnamed')),
    h('p', { class: 'muted' }, `${roleName(one.role)}${isThis ? ', this one' : ''}`),
    lines.map(([className, text]) => h('p', { class: className }, text)),
  );
}

// The service itself shows nothing; a browser or the notifier of a desktop does.
function remindWords({ reminders }, one) {
  if (reminders.replica !== one.replica) return `${capital(reminders.detail)}.`;
  const isOff = canChange() && !alertsHere();
  return `It reminds in a browser that has this page open${isOff ? ', once you turn that on below'
    : ''}, and on a desktop where carillon watch runs. The service alone shows nothing.`;
}

function lackWords(one, behind) {
  if (behind === null) return ['muted', 'What it lacks is not known while offline.'];
  const count = behind.of(one.replica);
  if (count === 0) return ['', 'It has everything that it recorded and received.'];
  const most = behind.isAtLeast(one.replica) ? 'more than ' : 'up to ';
  return ['warning', `It may lack ${most}${counted(count, 'newer change')}. A sync brings them.`];
}

function blockedWords(permission) {
  if (!permission.blocked) return 'No device reminds.';
  const off = 'Reminders are off on this device';
  if (permission.blocked === 'denied') return `${off}: the system does not allow notifications.`;
  return `${off}. To see them in this browser, turn them on below.`;
}

function healthNotices(status, today) {
  return [
    ...status.health.map((one) => h('p', { class: 'notice' }, `${capital(one)}.`)),
    status.leftOut.length > 0
      && h('details', { class: 'notice' }, ...leftOutContent(status, today)),
  ].filter(Boolean);
}

function leftOutContent(status, today) {
  return [
    h('summary', {}, `Reminders of ${counted(status.leftOut.length, 'habit')} do not all fit yet`),
    h('p', {}, 'A device holds a limited number of notifications. The next ones move up by '
      + 'themselves; fewer reminders make room.'),
    h(
      'ul', { class: 'plain' },
      status.leftOut.slice(0, mostLeftOut).map((one) =>
        h('li', {}, titleText(one.title), ` from ${moment(one.since, today)}`)),
      status.leftOut.length > mostLeftOut
        && h('li', {}, `and ${counted(status.leftOut.length - mostLeftOut, 'other')}`),
    ),
  ];
}
