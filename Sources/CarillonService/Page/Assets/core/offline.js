// Keeps the page itself, so that it opens while the service is away.

const shellName = 'carillon-page';

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
  } catch (error) {
    console.warn('The page was not kept for the time without the service', error.name);
  }
}
