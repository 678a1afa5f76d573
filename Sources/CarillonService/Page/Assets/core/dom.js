// Creates elements. Text is always text: nothing here parses HTML.

/**
 * Creates an element. A function named `on...` listens to an event, `vars` sets custom properties
 * of CSS, true is an attribute without a value, and null or false leaves an attribute out.
 */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Creates an element of SVG. */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'vars') setVariables(element, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(2).filter(isContent));
  return element;
}

const isContent = (child) => child !== null && child !== undefined && child !== false;

/** Sets custom properties of CSS on an element. */
export function setVariables(element, variables) {
  for (const [name, value] of Object.entries(variables)) element.style.setProperty(name, value);
}

/** Sets an element's text, if it differs, so that a live region does not repeat it. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets an attribute, or removes it if the value is null or false. */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : value);
}

/** A title of the person's, in the direction of its own script. */
export function titleText(text, tag = 'span', properties = {}) {
  return h(tag, { dir: 'auto', ...properties }, text);
}
