// All habits, with a filter; one opens beside the list, or in its place on a small screen.

import { h, setAttribute, setText, titleText } from '../core/dom.js';
import { watchAll } from '../core/documents.js';
import { icon } from '../core/icons.js';
import { list } from '../core/list.js';
import { scheduleWords } from '../core/rule-words.js';
import { setTitle, viewName } from '../core/router.js';
import { rowKeys } from '../core/rows.js';
import { canChange } from '../core/session.js';
import { counted, dayState } from '../core/words.js';
import { empty, noHabits } from '../parts/empty.js';
import { openForm } from './habit-form.js';
import { openHabit } from './habit.js';

const inUse = '/v1/habits';
const withOthers = '/v1/habits?archived=true&deleted=true';

/** What it shows without the service. */
export const documents = [inUse, withOthers];

// Where the list was, since the view opens again for each habit.
const top = { index: 0, page: 0 };
let lastPlace = top;

/** Opens the view; a habit, `new`, or a habit and `edit` may follow its name. */
export function open(main, [id, verb]) {
  if (id === 'new') return canChange() ? openForm(main, null) : open(main, []);
  if (id && verb === 'edit' && canChange()) return openForm(main, id);
  const filter = h('input', {
    type: 'search', placeholder: 'Filter', 'aria-label': 'Filter habits', enterkeyhint: 'search',
  });
  const all = h('input', { type: 'checkbox' });
  const count = h('p', { class: 'day-summary', role: 'status' });
  const rows = h('ul', { class: 'rows habit-list' });
  const detail = h('section', { class: 'habit-detail', 'aria-label': 'Habit' });
  const nothing = h('div', {});
  const index = h(
    'div', { class: 'habit-index' },
    h(
      'div', { class: 'toolbar' }, filter,
      h('label', { class: 'check-line' }, all, 'Archived and deleted'),
    ),
    count, nothing, rows,
  );
  main.classList.toggle('with-detail', Boolean(id));
  main.append(
    h(
      'div', { class: 'view-head' }, h('h1', {}, 'Habits'),
      canChange() && h('a', { class: 'button primary', href: '#/habits/new' },
        icon('plus'), 'Add a habit'),
    ),
    index, detail,
  );
  const shown = list(rows, (habit) => habit.id, habitEntry);
  let habits = [];
  let stopList = watchHabits();
  const stopKeys = rowKeys(rows);
  const closeDetail = id ? openHabit(detail, id, setTitle) : hint(detail);

  function watchHabits() {
    return watchAll([all.checked ? withOthers : inUse], (document) => {
      const isFirst = habits.length === 0;
      habits = document.habits;
      show();
      if (!isFirst) return;
      index.scrollTop = lastPlace.index;
      if (!id) scrollTo(0, lastPlace.page);
    });
  }

  function show() {
    const words = filter.value.trim().toLowerCase().split(/\s+/);
    const found = habits.filter((habit) => {
      const text = `${habit.title} ${habit.group ?? ''}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const total = counted(habits.length, 'habit');
    setText(count, found.length === habits.length ? total : `${found.length} of ${total}`);
    main.classList.toggle('no-habits', habits.length === 0 && !all.checked);
    rows.hidden = found.length === 0;
    nothing.replaceChildren(...found.length > 0 ? [] : [nothingFound(habits.length > 0)]);
    shown.show(found.map((habit) => ({ ...habit, isShown: habit.id === id })));
  }

  filter.addEventListener('input', () => {
    index.scrollTop = 0;
    show();
  });
  all.addEventListener('change', () => {
    stopList();
    stopList = watchHabits();
  });
  return {
    title: 'Habits',
    close() {
      lastPlace = viewName() === 'habits'
        ? { index: index.scrollTop, page: id ? lastPlace.page : scrollY } : top;
      stopList();
      stopKeys();
      shown.close();
      closeDetail();
    },
  };
}

const nothingFound = (hasHabits) =>
  (hasHabits ? empty('No habit matches the filter.') : noHabits());

function hint(detail) {
  detail.append(h('p', { class: 'empty' }, 'Choose a habit to see its year.'));
  return () => {};
}

function habitEntry(first) {
  const title = titleText('', 'a', { class: 'row-title' });
  const line = h('span', { class: 'row-line' });
  const state = h('span', { class: 'chip' });
  const element = h(
    'li', { 'data-row': true, class: 'habit-entry' },
    h('span', { class: 'row-text' }, title, line), state,
  );
  function update(habit) {
    setText(title, habit.title);
    setAttribute(title, 'href', `#/habits/${habit.id}`);
    setAttribute(title, 'aria-current', habit.isShown ? 'true' : null);
    setText(line, [scheduleWords(habit.schedules), habit.group].filter(Boolean).join(' · '));
    const words = habit.deleted ? 'deleted' : habit.archived ? 'archived' : dayState(habit.today);
    setText(state, words);
    state.dataset.state = habit.deleted || habit.archived ? 'none' : habit.today;
  }
  update(first);
  return { element, update };
}
