// A long list of which only the rows near the window exist, however many items it has. The row with
// the focus and its neighbors also exist, so that the keyboard never falls out of the list.

import { setAttribute, setVariables } from './dom.js';

const nearPixels = 400;
// All rows of such a list exist, also for a search of the browser and for print.
const shortList = 40;
const guessedHeight = 60;

/**
 * Shows items as children of an element.
 *
 * @param parent The element whose children are the rows.
 * @param key Returns the text that identifies an item.
 * @param make Returns the row of an item: `{element, update(item)}`.
 * @param isHeading Whether an item heads the items after it, and stays while they are in view.
 */
export function list(parent, key, make, isHeading = () => false) {
  const rows = new Map();
  const heights = rowHeights();
  const end = document.createElement('div');
  end.className = 'list-end';
  parent.classList.add('list');
  parent.after(end);
  let items = [];
  let keys = [];
  let frame = 0;
  const renderSoon = () => {
    frame ||= requestAnimationFrame(render);
  };
  const watcher = new ResizeObserver(renderSoon);
  watcher.observe(parent);
  watcher.observe(document.getElementById('main'));
  const options = { capture: true, passive: true };
  for (const name of ['scroll', 'toggle']) document.addEventListener(name, renderSoon, options);
  // At once, so that the next key finds the next row.
  parent.addEventListener('focusin', render);

  function render() {
    cancelAnimationFrame(frame);
    frame = 0;
    heights.start(parent.clientWidth);
    const tops = heights.tops(keys);
    const shown = shownIndices(tops);
    removeOthers(new Set(shown.map((index) => keys[index])));
    placeRows(shown, tops);
    if (heights.measure(rows)) renderSoon();
  }

  function shownIndices(tops) {
    if (items.length === 0 || !parent.checkVisibility()) return [];
    if (items.length <= shortList) return [...items.keys()];
    const { top } = parent.getBoundingClientRect();
    const first = indexAt(tops, -top - nearPixels);
    const last = indexAt(tops, innerHeight - top + nearPixels);
    const chosen = new Set([headingOf(first)]);
    for (let index = first; index <= last; index += 1) chosen.add(index);
    const focused = focusedIndex();
    if (focused >= 0) for (const step of [-1, 0, 1]) chosen.add(focused + step);
    return [...chosen].filter((index) => index >= 0 && index < items.length)
      .sort((one, other) => one - other);
  }

  function headingOf(index) {
    let heading = index;
    while (heading >= 0 && !isHeading(items[heading])) heading -= 1;
    return heading;
  }

  function focusedIndex() {
    if (!parent.contains(document.activeElement)) return -1;
    for (const [name, row] of rows) {
      if (row.element.contains(document.activeElement)) return keys.indexOf(name);
    }
    return -1;
  }

  function removeOthers(shown) {
    for (const [name, row] of rows) {
      if (shown.has(name)) continue;
      row.element.remove();
      rows.delete(name);
    }
  }

  // A row keeps the room of those before it that do not exist.
  function placeRows(shown, tops) {
    const focused = parent.contains(document.activeElement) ? document.activeElement : null;
    let before = parent.firstElementChild;
    let bottom = 0;
    for (const index of shown) {
      const { element } = rowOf(items[index], keys[index]);
      setVariables(element, { '--room': `${tops[index] - bottom}px` });
      setAttribute(element, 'aria-setsize', items.length);
      setAttribute(element, 'aria-posinset', index + 1);
      if (element === before) before = before.nextElementSibling;
      else parent.insertBefore(element, before);
      bottom = tops[index + 1];
    }
    setVariables(end, { '--room': `${(tops.at(-1) ?? 0) - bottom}px` });
    if (focused?.isConnected && document.activeElement !== focused) {
      focused.focus({ preventScroll: true });
    }
  }

  function rowOf(item, name) {
    const signature = JSON.stringify(item);
    let row = rows.get(name);
    if (!row) {
      row = { ...make(item), signature };
      rows.set(name, row);
    } else if (row.signature !== signature) {
      row.update(item);
      row.signature = signature;
    }
    return row;
  }

  return {
    show(newItems) {
      items = newItems;
      keys = items.map(key);
      render();
    },
    close() {
      cancelAnimationFrame(frame);
      watcher.disconnect();
      for (const name of ['scroll', 'toggle']) {
        document.removeEventListener(name, renderSoon, options);
      }
    },
  };
}

/** The heights of rows: measured once shown, and until then the average of the first ones. */
function rowHeights() {
  const measured = new Map();
  let usual = null;
  let width = 0;
  return {
    /** Begins a layout; rows of another width have other heights. */
    start(newWidth) {
      if (newWidth === width) return;
      width = newWidth;
      usual = null;
      measured.clear();
    },
    /** Returns where each row begins, and at last where the list ends. */
    tops(keys) {
      const tops = [0];
      for (const key of keys) {
        tops.push(tops.at(-1) + (measured.get(key) ?? usual ?? guessedHeight));
      }
      return tops;
    },
    /** Measures the rows that are shown, and returns whether any height is news. */
    measure(rows) {
      let isNew = false;
      for (const [key, { element }] of rows) {
        const height = element.getBoundingClientRect().height;
        if (height === 0 || measured.get(key) === height) continue;
        measured.set(key, height);
        isNew = true;
      }
      const all = [...measured.values()];
      usual ??= all.length > 0 ? all.reduce((sum, one) => sum + one) / all.length : null;
      return isNew;
    },
  };
}

// The last row that begins at or above a place.
function indexAt(tops, place) {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tops[middle] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
