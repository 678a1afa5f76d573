// A long list that builds only the rows that come into view, and keeps them when it changes.

const rowsAtOnce = 20;

/**
 * Shows items as children of an element.
 *
 * @param parent The element whose children are the rows.
 * @param key Returns the text that identifies an item.
 * @param make Returns the row of an item: `{element, update(item)}`.
 */
export function list(parent, key, make) {
  const rows = new Map();
  const end = document.createElement('div');
  end.className = 'list-end';
  let items = [];
  let count = rowsAtOnce;
  const watcher = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting) || count >= items.length) return;
      grow();
    },
    { rootMargin: '600px' },
  );
  parent.after(end);
  watcher.observe(end);

  function render() {
    const focused = parent.contains(document.activeElement) ? document.activeElement : null;
    const shown = items.slice(0, count);
    const keys = new Set(shown.map(key));
    for (const [name, row] of rows) {
      if (keys.has(name)) continue;
      row.element.remove();
      rows.delete(name);
    }
    let before = parent.firstElementChild;
    for (const item of shown) {
      const row = rowOf(item);
      if (row.element === before) before = before.nextElementSibling;
      else parent.insertBefore(row.element, before);
    }
    if (focused?.isConnected && document.activeElement !== focused) focused.focus();
    watchAgain();
  }

  function grow() {
    const more = items.slice(count, count + rowsAtOnce);
    count += rowsAtOnce;
    parent.append(...more.map((item) => rowOf(item).element));
    watchAgain();
  }

  // The end may still be in view; the watcher only reports changes.
  function watchAgain() {
    watcher.unobserve(end);
    watcher.observe(end);
  }

  function rowOf(item) {
    const name = key(item);
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
      render();
    },
    /** Starts at the top again, such as after another filter. */
    restart() {
      count = rowsAtOnce;
    },
    close() {
      watcher.disconnect();
    },
  };
}
