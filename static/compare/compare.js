/* Two runs beside each other: links and clicks in the strip move the page. */
import { isPlainClick, on } from '../common/on.js';

/**
 * Return the cycle under a place of the strip: {side: 'a' | 'b', cycle}, null where there is none.
 * `x` and `y` are shares of its width and height, `attempts` how many each side has.
 */
export function cycleAt(x, y, attempts) {
  const side = y < 0.5 ? 'a' : 'b';
  const longest = Math.max(...attempts, 1);
  const cycle = Math.floor(Math.min(Math.max(x, 0), 0.999999) * longest) + 1;
  return cycle <= attempts[side === 'a' ? 0 : 1] ? { side, cycle } : null;
}

/** Return an address with one side's cycle put in; the other follows it. */
export function addressAt(url, { side, cycle }) {
  const [path, query] = url.split('?');
  const values = new URLSearchParams(query);
  values.delete('a_cycle');
  values.delete('b_cycle');
  values.set(`${side}_cycle`, cycle);
  return `${path}?${values}`;
}

function clicked(strip, ev) {
  const box = strip.getBoundingClientRect();
  const attempts = strip.dataset.attempts.split(' ').map(Number);
  const place = cycleAt((ev.clientX - box.left) / box.width, (ev.clientY - box.top) / box.height, attempts);
  if (!place) return;
  go(addressAt(strip.dataset.url, place));
}

/* Links are followed by the address that they have now: htmx takes up attributes that a morph changed a moment later, and a
   key that is pressed in between would go where the link led before. */
function followed(link, ev) {
  if (!link.href || !isPlainClick(ev)) return;
  ev.preventDefault();
  go(link.getAttribute('href'));
}

/* A move of somebody whom the reader follows, where it is on this page. */
function onLed(ev) {
  const url = new URL(ev.detail.address);
  if (url.pathname !== location.pathname) return;
  ev.preventDefault();
  go(url.pathname + url.search);
}

function go(address) {
  window.htmx.ajax('GET', address, { source: '#compare', target: '#compare', swap: 'morph:outerHTML' });
}

if (document.getElementById('compare')) {
  on('click', '#cmp-svg', clicked);
  on('click', '#compare a[data-move]', followed);
  document.addEventListener('place:go', onLed);
}
