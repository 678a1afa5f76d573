// Keeps what every view shows, so that each has its last state while the service is away.

import { Unreachable, readAndKeep } from './api.js';

const pauseMilliseconds = 2_000;

/**
 * Reads the documents of all views once the page is at rest, and when it is hidden.
 *
 * @param views The modules of the views. Each lists its `documents`, and may `keep` more.
 */
export function keepForLater(views) {
  const run = () => keepAll(views);
  setTimeout(run, pauseMilliseconds);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') run();
  });
}

async function keepAll(views) {
  try {
    for (const path of new Set(views.flatMap((view) => view.documents))) await readAndKeep(path);
    for (const view of views) await view.keep?.();
  } catch (error) {
    // The views show problems; here they only end what is done ahead.
    if (!(error instanceof Unreachable)) console.warn('Not kept', error.name);
  }
}
