// The session: the start link's token is exchanged once for a cookie, and leaves the address.

import { Problem, Unreachable, forget, read, request } from './api.js';
import { forgetShell } from './offline.js';

// Kept, so that a page that is opened without the service knows it too.
const storageName = 'carillon-role';

/** Whether this browser may change anything. */
export const canChange = () => localStorage.getItem(storageName) !== 'viewer';

/** Whether this browser is the owner's, who decides who else has access. */
export const isOwner = () => (localStorage.getItem(storageName) ?? 'owner') === 'owner';

/** What the page may do: `open`, `closed` (no session) or `offline`. */
export async function startSession() {
  const token = takeToken();
  try {
    if (token) {
      await request('POST', '/v1/session', undefined, { Authorization: `Bearer ${token}` });
    }
    const { role } = await read('/v1/session');
    localStorage.setItem(storageName, role);
    return 'open';
  } catch (error) {
    if (error instanceof Unreachable) return 'offline';
    if (error instanceof Problem && (error.status === 401 || error.status === 403)) return 'closed';
    return 'open';
  }
}

/** Ends the session of this browser, and forgets what it kept. */
export async function endSession() {
  await request('DELETE', '/v1/session');
  localStorage.removeItem(storageName);
  sessionStorage.clear();
  await forget();
  await forgetShell();
  location.reload();
}

function takeToken() {
  const match = /^#token=([\w-]+)$/.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, '', `${location.pathname}#/today`);
  return match[1];
}
