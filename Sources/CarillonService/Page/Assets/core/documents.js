// The documents that the page shows. Each is read when a view watches it, shown from the last
// visit until then, and read again when the store changed.

import { Problem, Unreachable, lastRead, readAndKeep } from './api.js';
import { setIncomplete, setOffline, setOnline } from './connection.js';
import { showProblem } from './messages.js';

const watched = new Map();

/**
 * Watches a document.
 *
 * @param path The path of its route.
 * @param listener Called with each new version.
 * @returns A function that ends it.
 */
export function watch(path, listener) {
  let entry = watched.get(path);
  if (!entry) {
    entry = {
      path, listeners: new Set(), text: null, document: null, reading: null, again: false,
      isUnknown: false,
    };
    watched.set(path, entry);
    entry.listeners.add(listener);
    load(entry);
    showKept(entry);
  } else {
    entry.listeners.add(listener);
    if (entry.text !== null) listener(entry.document);
  }
  return () => {
    entry.listeners.delete(listener);
    if (entry.listeners.size === 0) watched.delete(path);
    checkComplete();
  };
}

/** Watches several documents, and calls back with all of them once each is there. */
export function watchAll(paths, listener) {
  const documents = paths.map(() => undefined);
  const stops = paths.map((path, index) =>
    watch(path, (document) => {
      documents[index] = document;
      if (!documents.includes(undefined)) listener(...documents);
    }),
  );
  return () => stops.forEach((stop) => stop());
}

/** Reads all watched documents again. */
export function refresh() {
  return Promise.all([...watched.values()].map(load));
}

function load(entry) {
  if (entry.reading) {
    entry.again = true;
    return entry.reading;
  }
  entry.reading = loadOnce(entry).finally(() => {
    entry.reading = null;
    if (!entry.again || entry.listeners.size === 0) return;
    entry.again = false;
    load(entry);
  });
  return entry.reading;
}

async function loadOnce(entry) {
  try {
    publish(entry, await readAndKeep(entry.path));
    setOnline();
  } catch (error) {
    if (error instanceof Unreachable) setOffline();
    else if (error instanceof Problem && error.status === 401) location.reload();
    else showProblem(error);
  }
}

async function showKept(entry) {
  const kept = await lastRead(entry.path);
  if (kept !== null && entry.text === null) publish(entry, kept);
  entry.isUnknown = kept === null;
  checkComplete();
}

function checkComplete() {
  setIncomplete([...watched.values()].some((one) => one.isUnknown && one.text === null));
}

function publish(entry, text) {
  if (text === entry.text) return;
  entry.text = text;
  entry.document = JSON.parse(text);
  checkComplete();
  for (const listener of entry.listeners) listener(entry.document);
}
