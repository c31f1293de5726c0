/* Drawing from one hour of the strip to another compares the two; a click on one compares it with now. */
import { betweenHours } from './address.js';

let first = null;
let last = null;

const hourAt = (target) => target.closest?.('.lv-strip a[data-moment]') ?? null;

/** Return whether somebody draws from one hour to another. */
export const isDrawing = () => first !== null;

function show() {
  const [low, high] = [first, last].map((one) => Number(one?.dataset.hour)).sort((a, b) => a - b);
  for (const one of document.querySelectorAll('.lv-strip a[data-moment]')) {
    const hour = Number(one.dataset.hour);
    one.classList.toggle('is-drawn', first !== null && hour >= low && hour <= high);
  }
}

function end() {
  first = last = null;
  show();
}

document.addEventListener('pointerdown', (ev) => {
  if (ev.button !== 0 || !ev.isPrimary) return;
  first = last = hourAt(ev.target);
});
document.addEventListener('pointermove', (ev) => {
  const hour = first && hourAt(ev.target);
  if (!hour || hour === last) return;
  last = hour;
  show();
});
document.addEventListener('pointerup', () => {
  if (first && last !== first) {
    const moments = [first, last].sort((a, b) => Number(a.dataset.hour) - Number(b.dataset.hour));
    location.search = betweenHours(location.search, ...moments.map((one) => one.dataset.moment));
  }
  end();
});
document.addEventListener('pointercancel', end);
// A link that is dragged would take the pointer away.
document.addEventListener('dragstart', (ev) => {
  if (hourAt(ev.target)) ev.preventDefault();
});
