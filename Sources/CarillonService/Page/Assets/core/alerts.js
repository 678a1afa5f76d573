// Shows the reminders of this device as notifications of the browser, while the page is open.

import { change } from './api.js';
import { watch } from './documents.js';
import { showProblem } from './messages.js';
import { canChange } from './session.js';

const storageName = 'carillon-alerts';
const lockName = 'carillon-alerts';
const lateMilliseconds = 120_000;
const longestTimer = 2_000_000_000;

/** Whether the person wants reminders in this browser. */
export const alertsHere = () =>
  canChange() && localStorage.getItem(storageName) === 'on'
  && globalThis.Notification?.permission === 'granted';

/** Turns them on or off. */
export function setAlertsHere(isOn) {
  localStorage.setItem(storageName, isOn ? 'on' : 'off');
  if (isOn) startAlerts();
}

let hasStarted = false;

/** Waits for the reminders, in one window only. */
export function startAlerts() {
  if (hasStarted || !alertsHere() || !navigator.locks) return;
  hasStarted = true;
  // The lock is held until the window closes; then the next window takes over.
  navigator.locks.request(lockName, () => new Promise(() => watch('/v1/pending', schedule)));
}

let timer = null;

function schedule({ pending, blocked }) {
  clearTimeout(timer);
  if (blocked) return;
  const next = pending.find((one) => one.fireAt);
  if (!next) return;
  const wait = new Date(next.fireAt) - Date.now();
  timer = setTimeout(() => fire(pending), Math.max(0, Math.min(wait, longestTimer)));
}

async function fire(pending) {
  const now = Date.now();
  const due = pending.filter((one) => {
    const at = new Date(one.fireAt).getTime();
    return at <= now && at > now - lateMilliseconds;
  });
  if (alertsHere()) for (const one of due) await present(one);
  schedule({ pending: pending.filter((one) => new Date(one.fireAt) > now), blocked: null });
}

async function present(one) {
  try {
    const worker = await navigator.serviceWorker.ready;
    await worker.showNotification(one.content?.title ?? one.title, {
      body: one.content?.body ?? '', tag: one.id, icon: '/page/icon-192.png',
      data: { key: one.id, habit: one.habit },
      actions: [
        { action: 'done', title: 'Done' }, { action: 'snooze', title: 'Snooze' },
      ],
    });
    await change('POST', '/v1/receipts', { key: one.id, state: 'delivered' });
  } catch (error) {
    showProblem(error);
  }
}
