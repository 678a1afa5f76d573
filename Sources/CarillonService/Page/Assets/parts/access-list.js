// Who has access to the store, for the owner: invites and revokes.

import { act } from '../core/actions.js';
import { change } from '../core/api.js';
import { h, titleText } from '../core/dom.js';
import { watch } from '../core/documents.js';
import { icon } from '../core/icons.js';
import { dateOf, distance, momentInText, timeInZone } from '../core/times.js';
import { roleName } from '../core/words.js';
import { confirmed } from './dialog.js';
import { invite } from './invite-dialog.js';

const roles = { owner: 'Owner', viewer: 'View only' };

/** The path of its document. */
export const accessPath = '/v1/access';

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
  const close = watch(accessPath, ({ devices }) => rows.replaceChildren(
    ...devices.length > 0 ? devices.map(accessRow) : [h(
      'li', { class: 'muted' },
      'Nobody but you. Invite a device of yours, or somebody who may look.')]));
  return { element, close };
}

function accessRow(one) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const today = dateOf(timeInZone(Date.now(), zone));
  const seen = one.lastSeen
    ? `seen ${distance(one.lastSeen)}`
    : `not seen since it joined ${momentInText(timeInZone(one.created, zone), today)}`;
  return h(
    'li', {},
    h('span', { class: 'access-text' }, titleText(one.name),
      h('small', {}, `${roles[one.role] ?? roleName(one.role)}, ${seen}`)),
    h('button', {
      type: 'button', class: 'button subtle', 'aria-label': `Revoke the access of ${one.name}`,
      onclick: () => revoke(one),
    }, 'Revoke'),
  );
}

async function revoke(one) {
  const title = `Revoke the access of ${one.name}?`;
  const text = 'It is refused from now on. What it has already stays on it.';
  if (!await confirmed(title, text, 'Revoke')) return;
  await act(`${one.name}: access revoked`, () =>
    change('DELETE', `/v1/access/${encodeURIComponent(one.id)}`));
}
