// Keeps the page itself, so that it opens while the service is away.

import { showMessage } from './messages.js';

const shellName = 'carillon-page';
const storageName = 'carillon-page-not-kept';

/** Whether the browser refused to keep the page. */
export const isShellRefused = () => localStorage.getItem(storageName) !== null;

/** Forgets the kept page. */
export const forgetShell = () => globalThis.caches?.delete(shellName);

/** Registers the service worker, and keeps every file that the page has loaded. */
export async function keepShell() {
  if (!navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register('/page/worker.js', { scope: '/' });
    const files = performance.getEntriesByType('resource')
      .map((entry) => new URL(entry.name))
      .filter((url) => url.origin === location.origin && url.pathname.startsWith('/page/'))
      .map((url) => url.pathname);
    const shell = await caches.open(shellName);
    await shell.addAll(['/', ...new Set(files)]);
    localStorage.removeItem(storageName);
  } catch (error) {
    console.warn('The page was not kept for the time without the service', error.name);
    refused(error);
  }
}

// Such as for a certificate that the browser does not trust. The person reads it once.
function refused(error) {
  if (error.name !== 'SecurityError' || isShellRefused()) return;
  localStorage.setItem(storageName, 'said');
  showMessage('This browser does not trust the certificate of the service. While the service is '
    + 'away, an open page shows the last state, but the page does not open.');
}
