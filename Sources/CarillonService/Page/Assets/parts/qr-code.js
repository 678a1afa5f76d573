// A QR code as a picture. It is dark on light in every color scheme, as cameras expect it.

import { svg } from '../core/dom.js';

// The light border that the standard requires.
const border = 4;

/**
 * Creates the picture.
 *
 * @param rows The rows of modules, `1` for a dark one.
 * @param label What a screen reader says.
 */
export function qrCode(rows, label) {
  const size = rows.length + 2 * border;
  const runs = rows.flatMap((row, y) =>
    [...row.matchAll(/1+/g)].map(({ 0: run, index }) =>
      `M${index + border} ${y + border}h${run.length}v1h-${run.length}z`));
  return svg(
    'svg',
    {
      viewBox: `0 0 ${size} ${size}`, class: 'qr-code', role: 'img', 'aria-label': label,
      'shape-rendering': 'crispEdges',
    },
    svg('rect', { width: size, height: size, fill: '#fff' }),
    svg('path', { d: runs.join(''), fill: '#000' }),
  );
}
