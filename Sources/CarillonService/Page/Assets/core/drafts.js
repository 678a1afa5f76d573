// What a person typed and did not send. It outlives a closed dialog, another view and a reload, and
// ends with the window.

const prefix = 'carillon-draft ';

/** The draft of a form; null if there is none. */
export function draft(name) {
  const text = sessionStorage.getItem(prefix + name);
  return text === null ? null : JSON.parse(text);
}

/** Keeps a draft. */
export const keepDraft = (name, value) =>
  sessionStorage.setItem(prefix + name, JSON.stringify(value));

/** Forgets a draft, since it was sent or is no longer wanted. */
export const forgetDraft = (name) => sessionStorage.removeItem(prefix + name);
