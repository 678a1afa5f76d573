// The service worker: gives the kept page while the service is away, and takes the answers to
// notifications.

const shellName = 'carillon-page';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url);
  const isShell = pathname === '/' || pathname.startsWith('/page/');
  if (event.request.method === 'GET' && isShell) event.respondWith(shell(event.request));
});

async function shell(request) {
  const { pathname } = new URL(request.url);
  try {
    const response = await fetch(request);
    if (response.ok) {
      const kept = await caches.open(shellName);
      await kept.put(pathname, response.clone());
    }
    return response;
  } catch (error) {
    const kept = await caches.match(pathname);
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(answer(event.action, event.notification.data));
});

async function answer(action, { key, habit }) {
  const body = action ? { key, action } : { key, state: 'opened' };
  await fetch('/v1/receipts', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  });
  if (action) return;
  const windows = await self.clients.matchAll({ type: 'window' });
  if (windows.length > 0) await windows[0].focus();
  else await self.clients.openWindow(`/#/habits/${habit}`);
}
