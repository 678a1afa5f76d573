// An event in words.

import { dateOf, shortDate, timeInZone } from './times.js';
import { amount, counted } from './words.js';

const sentences = {
  'habit.created': (event) => `Added ${event.title}`,
  'habit.edited': (event, title) => `Changed ${title}`,
  'habit.archivedSet': (event, title) => `${event.archived ? 'Archived' : 'Unarchived'} ${title}`,
  'habit.deleted': (event, title) => `Deleted ${title}`,
  'habit.restored': (event, title) => `Restored ${title}`,
  'schedule.set': (event, title) => `Set a reminder of ${title}`,
  'schedule.removed': (event, title) => `Removed a reminder of ${title}`,
  'entry.recorded': (event, title) => `${title} ${entryWords(event)}, ${date(event.date)}`,
  'entry.voided': () => 'Took back an entry',
  'day.marked': (event, title) => `${title} ${markWords[event.mark]}, ${date(event.from)}`,
  'note.recorded': (event, title) =>
    `${event.text ? 'Wrote' : 'Removed'} a note of ${title}, ${date(event.date)}`,
  'pause.set': (event, title, zone) => pauseWords(event, event.habit ? title : 'all habits', zone),
  'snooze.set': (event, title) => `${event.until ? 'Snoozed' : 'Ended a snooze of'} ${title}`,
  'receipt.advanced': (event, title) => `A notification of ${title}: ${event.state}`,
  'response.recorded': (event, title) => `Answered a notification of ${title}: ${event.action}`,
  'plan.submitted': (event) => `Planned: ${event.added} added, ${event.removed} removed`,
  'app.active': (event) => `Used, ${date(event.date)}`,
  'permission.changed': ({ status }) =>
    `Permission to notify: ${permissionWords[status] ?? status}`,
  'permission.asked': ({ step }) => (step === 'prompted'
    ? 'Asked for permission to notify' : 'Explained what notifications are for'),
  'alerts.set': (event) => `Reminders of a device ${event.on === false ? 'off' : 'on'}`,
  'device.described': (event) => `Described the device ${event.deviceName ?? ''}`,
  'device.set': deviceWords,
  'branches.closed': () => 'Closed devices that no longer write',
  'settings.set': () => 'Changed the settings',
  'import.finished': ({ source }) => `Imported from ${source}`,
  'item.observed': ({ source, items }) =>
    `Fetched ${counted(items?.length ?? 0, 'item')} from ${source}`,
  'push.tokenSet': ({ error }) =>
    `${error ? 'Could not register' : 'Registered'} for remote notifications`,
  'push.received': () => 'Received a remote notification',
  'wake.finished': ({ result }) => `Woke in the background: ${wakeWords[result] ?? result}`,
  'data.erased': () => 'Erased data',
};

// What the command line calls them.
const permissionWords = { authorized: 'granted', notDetermined: 'not asked yet' };
const markWords = { skip: 'skipped', clear: 'no longer skipped', no: 'marked as not done' };
const wakeWords = { newData: 'found something new', noData: 'found nothing new' };
const entryWords = (event) =>
  event.kind === 'amount' ? `+${amount(event.value ?? 1000)}` : 'done';
// To resume is to set the last date of the pause to yesterday.
function pauseWords({ from, to, timestamp }, title, zone) {
  if (to && to < dateOf(timeInZone(timestamp, zone))) return `Resumed ${title}`;
  return `Paused ${title} from ${date(from)}${to ? ` to ${date(to)}` : ''}`;
}
function deviceWords({ deviceName, retired }) {
  if (retired !== undefined) return retired ? 'Retired a device' : 'Took a device into use again';
  return deviceName ? `Named a device ${deviceName}` : 'Changed the kind of a device';
}
const date = (one) => (one ? shortDate(one) : '');

/**
 * An event in words; its type if there are none.
 *
 * @param titles The titles of habits by their ids.
 * @param zone The time zone of the store's device.
 */
export function eventWords(event, titles, zone) {
  const title = titles.get(event.habit) ?? event.source ?? 'a habit';
  return sentences[event.type]?.(event, title, zone) ?? event.type ?? 'An event without content';
}
