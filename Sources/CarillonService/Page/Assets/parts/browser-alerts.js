// Whether this browser shows the reminders of this device.

import { act } from '../core/actions.js';
import { change } from '../core/api.js';
import { alertsHere, setAlertsHere } from '../core/alerts.js';
import { h } from '../core/dom.js';

const canAlert = 'Notification' in globalThis && Boolean(navigator.serviceWorker);

/** Creates the switch; `show(permission)` gives it the document of the device's permission. */
export function browserAlerts() {
  const input = h('input', { type: 'checkbox', role: 'switch' });
  const text = h('p', { class: 'muted' });
  const element = h(
    'section', { class: 'card', 'aria-labelledby': 'alerts-title' },
    h('h2', { id: 'alerts-title' }, 'Notifications of this browser'),
    h('label', { class: 'check-line' }, input, 'Show reminders here'), text,
  );
  let permission = null;
  input.addEventListener('change', async () => {
    if (input.checked) await turnOn(permission);
    else setAlertsHere(false);
    update();
  });
  function update() {
    input.checked = alertsHere() && permission?.alerts === true;
    input.disabled = !canAlert;
    text.textContent = words();
  }
  return {
    element,
    show(document) {
      permission = document;
      update();
    },
  };
}

function words() {
  if (!canAlert) return 'This browser has no notifications.';
  if (Notification.permission === 'denied') {
    return 'The browser refuses notifications of this page. Allow them in its site settings.';
  }
  return 'They come while this page is open, also in the background.';
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
