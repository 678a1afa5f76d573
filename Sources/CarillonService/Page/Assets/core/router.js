// Views by the fragment of the address: `#/habits/ID`.

let views = {};
let current = null;

/**
 * Shows the view that the address names, and follows its changes.
 *
 * @param all The views by name. A view is `open(main, words)`, where words are the rest of the
 *   address, and returns `{title, close()}`.
 */
export function startRouter(all) {
  views = all;
  addEventListener('hashchange', () => {
    if (location.hash.startsWith('#/') || location.hash === '') show(true);
  });
  show(false);
}

/** Goes to a view. */
export function go(path) {
  if (location.hash === `#/${path}`) show(true);
  else location.hash = `#/${path}`;
}

/** The name of the view that is shown. */
export const viewName = () => wordsOf(location.hash)[0];

function wordsOf(hash) {
  try {
    const words = hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
    return Object.hasOwn(views, words[0]) ? words : ['today'];
  } catch {
    // An escape in the address that is none.
    return ['today'];
  }
}

function show(movesFocus) {
  const words = wordsOf(location.hash);
  const main = document.getElementById('main');
  current?.close();
  main.replaceChildren();
  main.className = `view-${words[0]}`;
  current = views[words[0]].open(main, words.slice(1));
  setTitle(current.title);
  for (const link of document.querySelectorAll('#views a')) {
    const isCurrent = link.dataset.view === words[0];
    if (isCurrent) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (!movesFocus) return;
  scrollTo(0, 0);
  if (main.contains(document.activeElement)) return;
  const heading = main.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  (heading ?? main).focus({ preventScroll: true });
}

/** Names the window after what it shows. */
export function setTitle(title) {
  document.title = title === 'Today' ? 'Carillon' : `${title} - Carillon`;
}
