// The stream of changes. It reconnects by itself, and says where it stopped.

import { Problem, eachLine, request } from './api.js';
import { setOffline, setOnline } from './connection.js';
import { refresh } from './documents.js';

const silenceMilliseconds = 40_000;
const hiddenMilliseconds = 60_000;
const firstPause = 500;
const longestPause = 10_000;
const noRebuild = { done: null, total: null };

let lastID = null;
let pause = firstPause;
let controller = null;
let timer = null;
let refreshTimer = null;
let keepsWhileHidden = () => false;
let eventName = null;
let rebuild = noRebuild;
let rebuildChanged = () => {};

/**
 * Follows the store until the page is closed.
 *
 * @param keeps Whether the stream stays open while the page is hidden.
 */
export function follow(keeps) {
  keepsWhileHidden = keeps;
  document.addEventListener('visibilitychange', visibilityChanged);
  addEventListener('online', connectNow);
  connect();
}

function connectNow() {
  pause = firstPause;
  if (!controller) connect();
}

// A browser opens few streams to one service, and hidden windows need none.
function visibilityChanged() {
  clearTimeout(timer);
  if (document.visibilityState === 'visible') connectNow();
  else if (!keepsWhileHidden()) timer = setTimeout(() => controller?.abort(), hiddenMilliseconds);
}

async function connect() {
  clearTimeout(timer);
  controller = new AbortController();
  let silence;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => controller?.abort(), silenceMilliseconds);
  };
  try {
    heard();
    const headers = { Accept: 'text/event-stream' };
    if (lastID !== null) headers['Last-Event-ID'] = lastID;
    const response = await request('GET', '/v1/live', undefined, headers, controller.signal);
    setOnline();
    setRebuild(noRebuild);
    changed();
    pause = firstPause;
    await eachLine(response.body, (line) => {
      heard();
      read(line);
    });
  } catch (error) {
    if (error instanceof Problem && error.status === 401) location.reload();
  } finally {
    clearTimeout(silence);
    controller = null;
  }
  if (document.visibilityState === 'hidden' && !keepsWhileHidden()) return;
  timer = setTimeout(connect, pause);
  if (pause > firstPause) setOffline();
  pause = Math.min(pause * 2, longestPause);
}

/**
 * Calls a function with the progress of the service's rebuild, now and whenever it changes. Its
 * `total` is null if none runs. The function takes the place of the one before.
 */
export function onRebuild(callback) {
  rebuildChanged = callback;
  callback(rebuild);
}

// The event says what changed; the documents are read by their routes, where most are unchanged.
function read(line) {
  if (line.startsWith('id:')) lastID = line.slice(3).trim();
  else if (line.startsWith('event:')) {
    eventName = line.slice(6).trim();
    if (eventName !== 'rebuild') changed();
  } else if (line.startsWith('data:') && eventName === 'rebuild') {
    setRebuild(JSON.parse(line.slice(5)));
  }
}

function setRebuild(progress) {
  rebuild = progress;
  rebuildChanged(progress);
}

function changed() {
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(refresh, 30);
}
