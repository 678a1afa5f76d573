// Ends the session of this browser.

import { h } from '../core/dom.js';
import { showProblem } from '../core/messages.js';
import { isShellRefused } from '../core/offline.js';
import { endSession, isOwner } from '../core/session.js';
import { confirmed } from './dialog.js';

/** Creates the part. */
export function signOut() {
  const run = async () => {
    const text = isOwner()
      ? 'It forgets what it shows. To come back, open the link of the program again.'
      : 'It forgets what it shows. To come back, you need another invitation.';
    if (await confirmed('Sign out of this browser?', text, 'Sign out')) {
      endSession().catch(showProblem);
    }
  };
  return h(
    'section', { class: 'card sign-out', 'aria-labelledby': 'sign-out-title' },
    h('h2', { id: 'sign-out-title' }, 'This browser'),
    h('p', { class: 'muted' }, isShellRefused()
      ? 'It shows the last state while the service is away, if the page is open then. It does not '
        + 'open the page meanwhile, since it does not trust the certificate of the service.'
      : 'It keeps the last state, to show it while the service is away.'),
    h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'button', onclick: run }, 'Sign out')),
  );
}
