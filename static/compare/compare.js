/* Two runs beside each other: a click in the strip moves both cursors there, and the link of the page can be copied. */
import { toast } from '../common/toast.js';

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

function clicked(ev) {
  const strip = ev.target.closest?.('#cmp-svg');
  if (!strip) return;
  const box = strip.getBoundingClientRect();
  const attempts = strip.dataset.attempts.split(' ').map(Number);
  const place = cycleAt((ev.clientX - box.left) / box.width, (ev.clientY - box.top) / box.height, attempts);
  if (!place) return;
  const address = addressAt(strip.dataset.url, place);
  window.htmx.ajax('GET', address, { source: '#compare', target: '#compare', swap: 'morph:outerHTML' });
}

async function copied(ev) {
  if (!ev.target.closest?.('[data-copy-url]')) return;
  try {
    await navigator.clipboard.writeText(location.href);
    toast('Link copied', { meaning: 'bound' });
  } catch {
    toast(`The browser does not let pages copy here. The link is ${location.href}`, { meaning: 'backoff' });
  }
}

if (document.getElementById('compare')) {
  document.addEventListener('click', clicked);
  document.addEventListener('click', copied);
}
