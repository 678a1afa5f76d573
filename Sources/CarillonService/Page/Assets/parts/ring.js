// A ring that fills with the part that is done.

import { svg } from '../core/dom.js';

const radius = 10;
const length = 2 * Math.PI * radius;

/**
 * Creates a ring that is filled by a part from 0 to 1. It is decoration: its control names itself.
 *
 * @param isOver Whether it stands for more than there should be.
 */
export function ring(part, isOver = false) {
  const filled = Math.max(0, Math.min(1, part)) * length;
  const circle = (className, properties = {}) =>
    svg('circle', { class: className, cx: 12, cy: 12, r: radius, ...properties });
  return svg(
    'svg', { viewBox: '0 0 24 24', class: 'ring', 'aria-hidden': 'true' },
    circle('ring-track'),
    filled > 0 && circle(isOver ? 'ring-part over' : 'ring-part', {
      'stroke-dasharray': `${filled} ${length}`, transform: 'rotate(-90 12 12)',
    }),
  );
}
