/* The button "Next difference" goes from one pod that differs to the next, and from the last to the first. */
import { on } from '../common/on.js';

let last = null;

document.addEventListener('focusin', (ev) => {
  last = ev.target.closest('.diffrow') ?? last;
});

on('click', '[data-next-difference]', () => {
  const rows = [...document.querySelectorAll('.diffrow')];
  const next = rows[(rows.indexOf(last) + 1) % rows.length];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
});
