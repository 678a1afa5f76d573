// Whether the service answers, and since when it does not.

import { h } from './dom.js';
import { browserTime, dateOf, moment } from './times.js';

// Kept, so that a page that is opened meanwhile knows it too.
const storageName = 'carillon-offline-since';
let offlineSince = null;
let isIncomplete = false;

/** Whether the service does not answer at the moment. */
export const isOffline = () => offlineSince !== null;

/** The service answered. */
export function setOnline() {
  localStorage.removeItem(storageName);
  if (offlineSince === null) return;
  offlineSince = null;
  show();
}

/** The service does not answer. */
export function setOffline() {
  if (offlineSince !== null) return;
  offlineSince = new Date(Number(localStorage.getItem(storageName)) || Date.now());
  localStorage.setItem(storageName, offlineSince.getTime());
  show();
}

/** Whether the view that is shown lacks documents that were never read. */
export function setIncomplete(value) {
  if (isIncomplete === value) return;
  isIncomplete = value;
  show();
}

function show() {
  const banner = document.getElementById('connection');
  document.body.classList.toggle('offline', isOffline());
  banner.hidden = !isOffline();
  banner.replaceChildren(...(isOffline() ? content() : []));
}

function content() {
  const since = moment(browserTime(offlineSince), dateOf(browserTime()));
  return [
    h('strong', {}, `Offline since ${since}.`),
    h('span', {}, isIncomplete
      ? ' This was not opened before. It comes once the service runs again.'
      : ' This is the last state, until the service runs again.'),
  ];
}
