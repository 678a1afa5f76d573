// Words for what the documents hold.

/** A text that begins with a capital letter. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A text as a sentence. */
export const sentence = (text) => (/[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`);

/** What went wrong, and what to do next. */
export const problemWords = ({ message, hint }) =>
  [message, hint].filter(Boolean).map(sentence).join(' ');

/** An amount in thousandths as a number: 1500 is `1.5`. */
export const amount = (thousandths) => String(thousandths / 1000);

/** `4 of 8 glasses`, `1 of at most 2 cups`. */
export function progress(habit) {
  const unit = habit.unit ? ` ${habit.unit}` : '';
  if (habit.target === undefined || habit.target === null) return `${amount(habit.amount)}${unit}`;
  const most = habit.direction === 'atMost' ? 'at most ' : '';
  return `${amount(habit.amount)} of ${most}${amount(habit.target)}${unit}`;
}

/** `1 day`, `3 days`. */
export const counted = (count, word, plural = `${word}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? word : plural}`;

const roles = {
  phone: 'Phone', tablet: 'Tablet', watch: 'Watch', desktop: 'Computer', server: 'Server',
};

/** The kind of a device. */
export const roleName = (role) => roles[role] ?? 'Device';

const states = {
  observed: 'Fetched', submitted: 'Planned', presumed: 'Probably shown', delivered: 'Shown',
  expired: 'Removed', dismissed: 'Dismissed', opened: 'Opened', acted: 'Answered',
};
/** The states of a notification that was not shown yet, as far as is known. */
export const unshown = new Set(['submitted', 'observed']);

const answers = { done: 'Done', skip: 'Skipped', snooze: 'Snoozed', open: 'Opened' };

/** What happened to a notification: `Done`, `Snoozed`, `Shown`. */
export const receiptState = (receipt) =>
  receipt.state === 'acted'
    ? (answers[receipt.action] ?? receipt.action ?? states.acted)
    : (states[receipt.state] ?? receipt.state);

const offReasons = new Set(['notDetermined', 'denied', 'alertsOff']);

/** Whether a next reminder does not come since reminders are off on the device. */
export const isOff = (next) => offReasons.has(next?.reason);

const dayStates = {
  done: 'done', covered: 'not needed', late: 'done later', missed: 'missed', open: 'open',
  skipped: 'skipped', paused: 'paused', idle: 'not due', none: 'not due',
};

/** The state of a habit on a day. */
export const dayState = (state) => dayStates[state] ?? state ?? '';
