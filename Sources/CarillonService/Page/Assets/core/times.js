// Dates and times as the store writes them. The clock is that of the store's device, so a time is
// read from its text and not moved into the browser's zone.

const names = (options) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });
const shortDay = names({ weekday: 'short', day: 'numeric', month: 'short' });
const longDay = names({ weekday: 'long', day: 'numeric', month: 'long' });
const yearDay = names({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const weekday = names({ weekday: 'short' });
const monthName = names({ month: 'short' });

const dayMilliseconds = 86_400_000;
const utc = (date) => new Date(`${date}T00:00:00Z`);

/** Whether a text is a date. */
export const isDate = (text) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(utc(text).getTime());

/** The date of a time: `2026-11-26`. */
export const dateOf = (time) => time.slice(0, 10);

/** The time of day: `07:30`. */
export const clock = (time) => time.slice(11, 16);

/** A date some days later. */
export const addDays = (date, days) =>
  new Date(utc(date).getTime() + days * dayMilliseconds).toISOString().slice(0, 10);

/** The days from one date to another. */
export const daysBetween = (from, to) => Math.round((utc(to) - utc(from)) / dayMilliseconds);

/** The day of the week, 0 Monday to 6 Sunday. */
export const weekdayOf = (date) => (utc(date).getUTCDay() + 6) % 7;

/** `Mon`. */
export const weekdayName = (date) => weekday.format(utc(date));

/** `Nov`. */
export const month = (date) => monthName.format(utc(date));

/** `Thursday 26 November`. */
export const longDate = (date) => longDay.format(utc(date)).replace(',', '');

/** `Thu 26 Nov`, with the year if it is not that of today. */
export const shortDate = (date, today) =>
  (today && today.slice(0, 4) !== date.slice(0, 4) ? yearDay : shortDay)
    .format(utc(date))
    .replace(',', '');

/** When a notification fired: at its time, or at a place when the device was there. */
export const firedAt = ({ fireAt, at }) => fireAt ?? at;

/** `Today`, `Yesterday`, `Tomorrow`, or the date. */
export function dayName(date, today) {
  const near = { 0: 'Today', 1: 'Tomorrow', '-1': 'Yesterday' }[daysBetween(today, date)];
  return near ?? shortDate(date, today);
}

/** A time with its day, if that is not today: `17:00`, `Fri 27 Nov 18:30`. */
export const moment = (time, today) =>
  dateOf(time) === today ? clock(time) : `${dayName(dateOf(time), today)} ${clock(time)}`;

/** The same inside of a sentence: `tomorrow 07:30`. */
export const momentInText = (time, today) =>
  moment(time, today).replace(/^(Today|Tomorrow|Yesterday)/, (word) => word.toLowerCase());

/** `in 1 h 33 min`, `now`, `5 min ago`. */
export function distance(time, now = Date.now()) {
  const minutes = Math.round((new Date(time) - now) / 60_000);
  if (minutes === 0) return 'now';
  const words = duration(Math.abs(minutes));
  return minutes > 0 ? `in ${words}` : `${words} ago`;
}

/** `45 min`, `1 h 33 min`, `9 h`, `3 days`. */
export function duration(minutes) {
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 240 && minutes % 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  if (minutes < 2_880) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 1_440)} days`;
}

/** An instant by the clock of a zone: `2026-11-26T07:30`. */
export function timeInZone(instant, zone) {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit',
    minute: '2-digit', hourCycle: 'h23',
  }).formatToParts(new Date(instant));
  const part = (type) => parts.find((one) => one.type === type).value;
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/** Now by the browser's clock, as the store would write it without an offset. */
export function browserTime(instant = new Date()) {
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
