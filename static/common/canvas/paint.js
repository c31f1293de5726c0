/* Small helpers of the canvases. */
import { TAIL } from '../names.js';

const NAMES = [
  'map-bg',
  'map-track',
  'map-fill',
  'map-off',
  't1',
  't3',
  's1',
  'line-2',
  'bound-b',
  'bound-s',
  'victim-b',
  'victim-s',
  'nomin-b',
  'nomin-s',
  'unres-s',
  'tie-s',
  'win-f',
  'win-s',
  'cursor',
  't2',
  's2',
  's3',
  'line-3',
  'bound-f',
  'unsched-f',
  'unsched-s',
  'gated-s',
  'wait-s',
];

/** Return the tokens as they are now: {name: colour, font}. */
export function tones() {
  const style = getComputedStyle(document.documentElement);
  const found = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  found.font = style.getPropertyValue('--font').trim();
  return found;
}

/** Return a function of tokens that makes something of them once. */
export function ofTones(make) {
  const kept = new WeakMap();
  return (t) => {
    if (!kept.has(t)) kept.set(t, make(t));
    return kept.get(t);
  };
}

/** Have a canvas this size. Setting a size, even the same one, throws the picture's memory away. */
export function sized(canvas, width, height) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/** Return a name cut to a width: its end is kept, for it tells those of one owner apart. */
export function cutName(c, name, width) {
  // A name with dots ends in a domain that many share, so there the beginning is kept.
  if (name.includes('.') || c.measureText(name).width <= width) return cut(c, name, width);
  const tail = name.slice(-TAIL);
  const left = width - c.measureText(tail).width;
  if (name.length <= 2 * TAIL || left < c.measureText('…').width) return cutStart(c, name, width);
  return `${cut(c, name.slice(0, -TAIL), left)}${tail}`;
}

/* The end of a text that fits, with … before it. */
function cutStart(c, text, width) {
  let first = 1;
  while (first < text.length && c.measureText(`…${text.slice(first)}`).width > width) first += 1;
  return `…${text.slice(first)}`;
}

/** Return the text cut to a width, with an ellipsis. */
export function cut(c, text, width) {
  if (c.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (c.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}

/** Fill a star. */
export function star(c, x, y, r) {
  c.beginPath();
  for (let i = 0; i < 10; i++) {
    const angle = -Math.PI / 2 + (i * Math.PI) / 5;
    const radius = i % 2 ? r * 0.45 : r;
    c.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  c.closePath();
  c.fill();
}

/** Begin the path of a box with round corners. */
export function box(c, x, y, w, h, r) {
  c.beginPath();
  c.roundRect(x, y, w, h, r);
}
