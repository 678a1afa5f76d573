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
  const paths = [...new Set(views.flatMap((view) => view.documents))];
  const works = [
    ...paths.map((path) => () => readAndKeep(path)), ...views.map((view) => () => view.keep?.()),
  ];
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      if (error instanceof Unreachable) return;
      // A view that shows the document also shows the problem.
      console.warn('A document was not kept', error.name);
    }
  }
}
