// Who has access to the store, for the owner: invites and revokes.

import { act } from '../core/actions.js';
import { change } from '../core/api.js';
import { h, titleText } from '../core/dom.js';
import { refresh, watchAll } from '../core/documents.js';
import { icon } from '../core/icons.js';
import { dateOf, distance, moment, momentInText, timeInZone } from '../core/times.js';
import { roleName, sentence } from '../core/words.js';
import { confirmed } from './dialog.js';
import { invite } from './invite-dialog.js';

const roles = { owner: 'Owner', viewer: 'View only' };

/** The path of its document. */
export const accessPath = '/v1/access';

const refreshMilliseconds = 30_000;

/** Creates the part: `{element, close()}`. */
export function accessList() {
  const rows = h('ul', { class: 'access-rows' });
  const element = h(
    'section', { class: 'card access', 'aria-labelledby': 'access-title' },
    h(
      'div', { class: 'card-head' },
      h('h2', { id: 'access-title' }, 'Who has access'),
      h('button', { type: 'button', class: 'button primary', onclick: invite },
        icon('plus'), 'Invite'),
    ),
    rows,
  );
  // The log does not say who joined.
  const timer = setInterval(refresh, refreshMilliseconds);
  const stop = watchAll([accessPath, '/v1/pending'], ({ access, damaged }, { zone }) =>
    rows.replaceChildren(
      ...damaged.map((message) => h('li', { class: 'warning' }, sentence(message))),
      ...access.length > 0 ? access.map((one) => accessRow(one, zone)) : [nobody()],
    ));
  return {
    element,
    close() {
      clearInterval(timer);
      stop();
    },
  };
}

const nobody = () => h(
  'li', { class: 'muted' }, 'Nobody but you. Invite a device of yours, or somebody who may look.');

function accessRow(one, zone) {
  const name = one.name ?? 'Open invitation';
  return h(
    'li', {},
    h('span', { class: 'access-text' }, titleText(name),
      h('small', {}, [roles[one.role] ?? roleName(one.role), ...timeWords(one, zone)].join(', '))),
    h('button', {
      type: 'button', class: 'button subtle', 'aria-label': `Revoke: ${name}`,
      onclick: () => revoke(one, name),
    }, 'Revoke'),
  );
}

function timeWords(one, zone) {
  const today = dateOf(timeInZone(Date.now(), zone));
  const since = momentInText(timeInZone(one.since, zone), today);
  if (one.kind === 'invitation') {
    // Several may be of one minute.
    return [`made ${since}:${one.since.slice(17, 19)}`, `expires ${distance(one.expires)}`];
  }
  if (!one.expires) return [`since ${since}`];
  return [`since ${since}`, `in a browser until ${moment(timeInZone(one.expires, zone), today)}`];
}

async function revoke(one, name) {
  const isInvitation = one.kind === 'invitation';
  const title = isInvitation ? 'Withdraw the invitation?' : `Revoke the access of ${name}?`;
  const text = isInvitation
    ? 'Its link no longer works.' : 'It is refused from now on. What it has already stays on it.';
  if (!await confirmed(title, text, 'Revoke')) return;
  await act(`${name}: revoked`, () =>
    change('DELETE', `${accessPath}/${encodeURIComponent(one.id)}`));
}
