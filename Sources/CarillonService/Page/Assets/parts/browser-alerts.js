// Whether this browser shows the reminders of this device.

import { act } from '../core/actions.js';
import { change } from '../core/api.js';
import { alertsHere, setAlertsHere } from '../core/alerts.js';
import { h } from '../core/dom.js';

const canAlert = 'Notification' in globalThis && Boolean(navigator.serviceWorker);

/**
 * Creates the switch; `show(permission, status)` gives it the documents of the device.
 *
 * @param changed Called when the person used it.
 */
export function browserAlerts(changed) {
  const input = h('input', { type: 'checkbox', role: 'switch' });
  const text = h('p', { class: 'muted' });
  const element = h(
    'section', { class: 'card', 'aria-labelledby': 'alerts-title' },
    h('h2', { id: 'alerts-title' }, 'Notifications of this browser'),
    h('label', { class: 'check-line' }, input, 'Show reminders here'), text,
  );
  let permission = null;
  let elsewhere = null;
  input.addEventListener('change', async () => {
    if (input.checked) await turnOn(permission);
    else setAlertsHere(false);
    update();
    changed();
  });
  function update() {
    input.checked = alertsHere() && permission?.alerts === true;
    input.disabled = !canAlert || elsewhere !== null;
    text.textContent = elsewhere ?? words();
  }
  return {
    element,
    show(document, status) {
      permission = document;
      elsewhere = elsewhereWords(status);
      update();
    },
  };
}

// A browser shows the reminders of the device that runs the service, and only those.
function elsewhereWords({ reminders, replica }) {
  if (replica.role === 'server') {
    return 'This service runs on a server, which never reminds. Your other devices do.';
  }
  if (reminders.replica === null || reminders.replica === replica.id) return null;
  return 'Another device reminds, so there is nothing to show here.';
}

function words() {
  if (!canAlert) return 'This browser has no notifications.';
  if (Notification.permission === 'denied') {
    return 'The browser refuses notifications of this page. Allow them in its site settings.';
  }
  return 'They come while this page is open, also in a background tab. Once it is closed, none do.';
}

// The browser asks the person; the answer is the device's permission, and the switch its alerts.
async function turnOn(permission) {
  const answer = await Notification.requestPermission();
  if (answer !== 'granted') return;
  const worked = await act('Reminders come in this browser', async () => {
    if (permission.status !== 'authorized') {
      await change('PUT', '/v1/permission', {
        status: 'authorized', options: ['alert', 'sound', 'badge'],
      });
    }
    if (!permission.alerts) await change('PUT', '/v1/alerts', { alerts: true });
  });
  setAlertsHere(worked);
}
