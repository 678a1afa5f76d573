// Requests to the service. What was read is kept, to be shown while the service is away.

const keptName = 'carillon-documents';

/** An answer of the service that says why it did not do what was asked. */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? document.title ?? `The service answered ${status}.`);
    this.status = status;
    this.code = document.code ?? 'internal';
    // A hint that names a path is for programs.
    this.hint = /\/(openapi\.json|v1\/)/.test(document.hint ?? '') ? null : document.hint ?? null;
  }
}

/** The service did not answer at all. */
export class Unreachable extends Error {
  constructor() {
    super('The service does not answer.');
  }
}

/** Sends a request and returns the response; throws `Problem` or `Unreachable`. */
export async function request(method, path, body, headers = {}, signal) {
  const options = { method, headers: { ...headers }, signal, credentials: 'same-origin' };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers['Content-Type'] = 'application/json';
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Unreachable();
  }
  if (response.ok) return response;
  throw new Problem(response.status, await response.json().catch(() => ({})));
}

/** Reads a document. */
export const read = async (path) => (await request('GET', path)).json();

/**
 * Reads a document as text, and keeps it for the time without the service.
 *
 * @param name The name under which it is kept.
 */
export async function readAndKeep(path, name = path) {
  const text = await (await request('GET', path)).text();
  keep(name, text);
  return text;
}

/** Changes something, and returns the answer. */
export async function change(method, path, body) {
  const response = await request(method, path, body);
  const text = await response.text();
  return text === '' ? {} : JSON.parse(text);
}

/** Calls back with each line of an answer in NDJSON. */
export async function readLines(method, path, onLine, signal) {
  const response = await request(method, path, undefined, {}, signal);
  await eachLine(response.body, (line) => line !== '' && onLine(JSON.parse(line)));
}

/** Calls back with each line of a stream, also with empty ones. */
export async function eachLine(stream, onLine) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = lines.pop();
    for (const line of lines) onLine(line);
    if (!done) continue;
    if (rest !== '') onLine(rest);
    return;
  }
}

/** The text of the document as it was read last; null if it never was. */
export async function lastRead(name) {
  if (!globalThis.caches) return null;
  const response = await (await caches.open(keptName)).match(name);
  return response ? response.text() : null;
}

// A full disk only costs the view without the service.
function keep(name, text) {
  if (!globalThis.caches) return;
  caches
    .open(keptName)
    .then((kept) => kept.put(name, new Response(text)))
    .catch((error) => console.warn('The document was not kept', error.name));
}

/** Forgets everything that was kept. */
export const forget = () => globalThis.caches?.delete(keptName);
