// Returns what is wrong with the page for people who see little, or use a keyboard or a screen
// reader: one sentence for each finding.

const findings = [];
const find = (what, element) => findings.push(`${what}: ${describe(element)}`);

function describe(element) {
  const text = (element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 40);
  const name = element.tagName.toLowerCase();
  return `<${name} class="${element.getAttribute('class') ?? ''}"> ${text}`;
}

function isVisible(element) {
  if (!element.checkVisibility({ opacityProperty: false, visibilityProperty: true })) return false;
  const box = element.getBoundingClientRect();
  return box.width > 1 && box.height > 1;
}

const all = [...document.querySelectorAll('body *')].filter(isVisible);

// Names.
function nameOf(element) {
  const labelled = (element.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean);
  const texts = labelled.map((id) => document.getElementById(id)?.textContent);
  if (texts.length > 0) return texts.join(' ');
  const label = element.getAttribute('aria-label');
  if (label) return label;
  const labels = [...(element.labels ?? [])].map((one) => one.textContent).join(' ');
  return labels || element.textContent || element.getAttribute('alt') || element.title;
}

const kinds = 'a[href], button, input, select, textarea, summary, [tabindex], [role=menuitem]';
const controls = all.filter((element) => element.matches(kinds));
for (const element of controls) {
  if (element.matches('main, h1, pre')) continue;
  if (nameOf(element).trim() === '') find('no name', element);
  if (element.closest('[aria-hidden=true]')) find('a control that is hidden', element);
}
for (const element of all) {
  if (element.matches('img:not([alt])')) find('no alternative text', element);
  const isNamed = element.matches('[aria-hidden=true], [role=img][aria-label]');
  if (element.matches('svg') && !isNamed) find('no name', element);
  if (element.tabIndex > 0) find('an order of its own', element);
}

// Structure.
const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
for (const id of new Set(ids)) {
  if (ids.filter((one) => one === id).length > 1) findings.push(`two elements with the id ${id}`);
}
for (const element of document.querySelectorAll('[aria-labelledby], [aria-controls]')) {
  for (const name of ['aria-labelledby', 'aria-controls']) {
    for (const id of (element.getAttribute(name) ?? '').split(' ').filter(Boolean)) {
      if (!document.getElementById(id)) find(`${name} names ${id}, which is not there`, element);
    }
  }
}
let level = 0;
for (const heading of all.filter((element) => element.matches('h1, h2, h3, h4'))) {
  const next = Number(heading.tagName[1]);
  if (next > level + 1) find(`a heading of level ${next} after level ${level}`, heading);
  level = next;
}
if (document.querySelectorAll('h1').length !== 1) findings.push('not exactly one main heading');
if (!document.documentElement.lang) findings.push('the page has no language');
for (const element of document.querySelectorAll('ul > *, ol > *')) {
  if (element.tagName !== 'LI') find('not an item of its list', element);
}

// Targets of a finger; the days of a year have the day views as another way.
const otherTargets = '.heat-cell, main, h1, pre, .skip-link, .day-chip input';
for (const element of controls) {
  if (element.matches(otherTargets)) continue;
  if (element.matches('a') && getComputedStyle(element).display === 'inline') continue;
  const target = element.closest('label') ?? element;
  const { width, height } = target.getBoundingClientRect();
  if (Math.min(width, height) < 24) find(`a target of ${width} by ${height}`, element);
}

// Contrast, by the formula of WCAG.
const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

function rgba(color) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}

const over = (front, back) =>
  [0, 1, 2].map((index) => front[index] * front[3] + back[index] * (1 - front[3])).concat(1);

function luminance(color) {
  const [red, green, blue] = color.slice(0, 3).map((one) => {
    const part = one / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function backgroundOf(element) {
  const layers = [];
  for (let each = element; each; each = each.parentElement) {
    layers.push(rgba(getComputedStyle(each).backgroundColor));
    if (layers.at(-1)[3] === 1) break;
  }
  return layers.reverse().reduce((back, front) => over(front, back), [255, 255, 255, 1]);
}

for (const element of all) {
  const hasText = [...element.childNodes].some((one) =>
    one.nodeType === Node.TEXT_NODE && one.textContent.trim() !== '');
  if (!hasText || element.closest(':disabled, .unseen, svg, option')) continue;
  const style = getComputedStyle(element);
  const back = backgroundOf(element);
  const size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  const ratio = contrast(over(rgba(style.color), back), back);
  if (ratio < (isLarge ? 3 : 4.5)) find(`a contrast of ${ratio.toFixed(2)}`, element);
}

// Nothing is wider than the window, and nothing of a text is cut off unseen.
if (document.documentElement.scrollWidth > innerWidth) {
  findings.push(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);
}

return [...new Set(findings)];
