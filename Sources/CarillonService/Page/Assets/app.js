// The page: starts the session, the views, the stream of changes, and what works without them.

import { startAlerts, alertsHere } from './core/alerts.js';
import { forget } from './core/api.js';
import { setOffline } from './core/connection.js';
import { h } from './core/dom.js';
import { icon } from './core/icons.js';
import { startKeys } from './core/keys.js';
import { follow } from './core/live.js';
import { keepForLater } from './core/kept.js';
import { keepShell } from './core/offline.js';
import { startRouter } from './core/router.js';
import { canChange, isOwner, startSession } from './core/session.js';
import * as coming from './views/coming.js';
import * as devices from './views/devices.js';
import * as habits from './views/habits.js';
import * as history from './views/history.js';
import { invitationCode, openInvitation } from './views/invitation.js';
import * as log from './views/log.js';
import * as today from './views/today.js';

const views = { today, coming, habits, history, devices, log };
const names = {
  today: 'Today', coming: 'Coming', habits: 'Habits', history: 'History', devices: 'Devices',
  log: 'Log',
};

function showViews() {
  const links = Object.keys(views).map((name) =>
    h('a', { href: `#/${name}`, 'data-view': name }, icon(name), h('span', {}, names[name])));
  document.getElementById('views').append(...links);
}

// The address keeps the view.
function startSkipLink() {
  document.querySelector('.skip-link').addEventListener('click', (event) => {
    event.preventDefault();
    document.getElementById('main').focus();
  });
}

// The link in the same window only changes the fragment, and so does a way back to the views.
function reloadForLinks() {
  addEventListener('hashchange', () => {
    const isClosed = document.body.classList.contains('closed');
    const isView = /^(#\/|$)/.test(location.hash);
    if (/^#(token|invite)=/.test(location.hash) || (isClosed && isView)) location.reload();
  });
}

function showClosed() {
  document.body.classList.add('closed');
  document.getElementById('main').replaceChildren(
    h('div', { class: 'closed-text' }, isOwner() ? openLinkContent() : endedContent()));
}

const endedContent = () => [
  h('h1', {}, 'Your access has ended'),
  h('p', {}, 'The person whose habits these are ended it, or it expired. This browser forgot what '
    + 'it showed. To come back, ask that person for another invitation.'),
];

const openLinkContent = () => [
  h('h1', {}, 'Open the link of the program'),
  h('p', {}, 'This page belongs to the person who started the service. The program printed a '
    + 'link when it started: it ends with '),
  h('p', {}, h('code', {}, '/#token=…')),
  h('p', {}, 'Open that link in this browser. It is needed once. Without the link, ask that '
    + 'person for an invitation.'),
];

async function start() {
  reloadForLinks();
  startSkipLink();
  const session = await startSession();
  if (invitationCode()) {
    document.body.classList.add('closed');
    await openInvitation(document.getElementById('main'), session === 'open');
    return;
  }
  if (session === 'closed') {
    await forget();
    showClosed();
    return;
  }
  document.getElementById('role').hidden = canChange();
  showViews();
  startKeys();
  if (session === 'offline') setOffline();
  startRouter(views);
  follow(alertsHere);
  startAlerts();
  keepShell();
  keepForLater(Object.values(views));
}

start();
