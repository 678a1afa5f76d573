// The session: the start link's token is exchanged once for a cookie, and leaves the address.

import { Problem, Unreachable, forget, request } from './api.js';
import { forgetShell } from './offline.js';

/** What the page may do: `open`, `closed` (no session) or `offline`. */
export async function startSession() {
  const token = takeToken();
  try {
    if (token) {
      await request('POST', '/v1/session', undefined, { Authorization: `Bearer ${token}` });
    } else {
      await request('GET', '/v1/permission');
    }
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
  await forget();
  await forgetShell();
  location.reload();
}

function takeToken() {
  const match = /^#token=(.+)$/.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, '', `${location.pathname}#/today`);
  return decodeURIComponent(match[1]);
}
