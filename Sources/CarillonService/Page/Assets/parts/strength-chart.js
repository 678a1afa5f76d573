// A habit's strength over a year as a line.

import { h, svg } from '../core/dom.js';
import { daysBetween, month } from '../core/times.js';

const width = 720;
const height = 120;

/** Creates the chart of a year. */
export function strengthChart(map) {
  const points = map.days.filter((one) => one.strength !== null);
  if (points.length < 2) {
    return h('p', { class: 'muted no-strength' }, map.year === null
      ? 'The strength over time appears here from the second day on.'
      : 'There is no strength in this year.');
  }
  const days = daysBetween(map.from, map.to);
  const x = (date) => (daysBetween(map.from, date) / days) * width;
  const y = (strength) => height - strength * height;
  const line = points.map((one) => `${x(one.date).toFixed(1)},${y(one.strength).toFixed(1)}`);
  const ends = [points[0], points.at(-1)].map((one) => `${x(one.date)},${height}`);
  const area = `${ends[0]} ${line.join(' ')} ${ends[1]}`;
  return h(
    'figure', { class: 'strength' },
    h('figcaption', {}, 'Strength'),
    svg(
      'svg',
      {
        viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words(points),
        preserveAspectRatio: 'none',
      },
      [0.25, 0.5, 0.75, 1].map((part) =>
        svg('line', { class: 'strength-grid', x1: 0, x2: width, y1: y(part), y2: y(part) })),
      svg('polygon', { class: 'strength-area', points: area }),
      svg('polyline', { class: 'strength-line', points: line.join(' ') }),
    ),
    h(
      'div', { class: 'strength-scale', 'aria-hidden': 'true' },
      h('span', {}, '100 %'), h('span', {}, '50 %'), h('span', {}, '0 %'),
    ),
  );
}

// The value at the end of each month, and the last.
function words(points) {
  const ends = points.filter((one, index) =>
    index === points.length - 1 || points[index + 1].date.slice(0, 7) !== one.date.slice(0, 7));
  const values = ends.map((one) => `${month(one.date)} ${Math.round(one.strength * 100)} percent`);
  return `Strength by month: ${values.join(', ')}`;
}
