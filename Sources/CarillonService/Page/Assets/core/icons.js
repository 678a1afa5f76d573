// Icons as paths on a grid of 24, drawn with the color of the text.

import { svg } from './dom.js';

const paths = {
  today: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4M9 15l2 2 4-4',
  coming: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l4 2',
  habits: 'M4 4h4v4H4zM10 4h4v4h-4zM16 4h4v4h-4zM4 10h4v4H4zM10 10h4v4h-4zM16 10h4v4h-4z'
    + 'M4 16h4v4H4zM10 16h4v4h-4z',
  history: 'M6 17h12c-2-2-2-4-2-7a4 4 0 0 0-8 0c0 3 0 5-2 7zM10 20a2 2 0 0 0 4 0',
  devices: 'M3 5h12v10H3zM6 19h6M17 9h4v10h-4z',
  log: 'M5 6h14M5 12h14M5 18h9',
  check: 'M5 13l4 4 10-11',
  plus: 'M12 5v14M5 12h14',
  skip: 'M5 6l7 6-7 6zM12 6l7 6-7 6z',
  snooze: 'M12 5a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM9 10h6l-6 6h6M4 5l3-2M20 5l-3-2',
  note: 'M5 4h14v11l-5 5H5zM14 20v-5h5M9 9h6M9 13h3',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  close: 'M6 6l12 12M18 6L6 18',
  undo: 'M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  place: 'M12 21c4-5 6-8 6-11a6 6 0 0 0-12 0c0 3 2 6 6 11zM12 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  silent: 'M6 17h12c-2-2-2-4-2-7a4 4 0 0 0-8 0c0 3 0 5-2 7zM4 4l16 16',
  bell: 'M6 17h12c-2-2-2-4-2-7a4 4 0 0 0-8 0c0 3 0 5-2 7zM10 20a2 2 0 0 0 4 0',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  archive: 'M4 5h16v4H4zM6 9v10h12V9M10 13h4',
};

/** Creates an icon. It is decoration: the control names itself. */
export const icon = (name) =>
  svg(
    'svg',
    { viewBox: '0 0 24 24', class: `icon icon-${name}`, 'aria-hidden': 'true' },
    svg('path', { d: paths[name] }),
  );
