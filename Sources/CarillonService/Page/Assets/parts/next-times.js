// The next five times of a schedule, as it is typed.

import { change } from '../core/api.js';
import { h } from '../core/dom.js';
import { browserTime, clock, dateOf, dayName } from '../core/times.js';
import { problemWords } from '../core/words.js';

const pauseMilliseconds = 250;

/** Creates the preview; `show(schedule)` asks the service, and nothing is written. */
export function nextTimes() {
  const content = h('div', {});
  let timer = null;
  let latest = 0;
  async function ask(schedule) {
    latest += 1;
    const turn = latest;
    const parts = await answer(schedule);
    if (turn === latest) content.replaceChildren(...parts);
  }
  return {
    element: h('div', { class: 'next-times' }, h('h3', {}, 'Next five times'), content),
    show(schedule) {
      clearTimeout(timer);
      timer = setTimeout(() => ask(schedule), pauseMilliseconds);
    },
  };
}

async function answer(schedule) {
  const { id, ...members } = schedule;
  try {
    const document = await change('POST', '/v1/preview', members);
    const times = document.times.map((one) => one.fireAt);
    const summary = h('p', { class: 'muted' }, document.summary);
    if (times.length === 0) return [summary, h('p', {}, 'No time is to come.')];
    return [summary, h('ol', {}, times.map(timeItem))];
  } catch (error) {
    return [h('p', { class: 'field-problem' }, problemWords(error))];
  }
}

const timeItem = (time) =>
  h('li', {}, h('span', {}, dayName(dateOf(time), dateOf(browserTime()))),
    h('time', {}, clock(time)));
