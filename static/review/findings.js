/* Walking through the findings of a review: N and P choose the next one, whose evidence the middle shows, V marks it. */
import { on } from '../common/on.js';

/* The place of the next finding, from the one that is chosen (-1 for none), around the end. */
export function nextPlace(at, step, count) {
  if (at < 0) return step > 0 ? 0 : count - 1;
  return (at + step + count) % count;
}

function rows() {
  return [...document.querySelectorAll('#findings .rv-row')];
}

function walk(step) {
  const all = rows();
  if (!all.length) return;
  const focused = all.findIndex((row) => row.contains(document.activeElement));
  const at = focused < 0 ? all.findIndex((row) => row.querySelector('a[aria-current]')) : focused;
  const link = all[nextPlace(at, step, all.length)].querySelector('a');
  link.focus();
  link.click();
}

function view() {
  const row =
    document.activeElement?.closest?.('#findings .rv-row') ??
    rows().find((one) => one.querySelector('a[aria-current]')) ??
    rows().find((one) => !one.matches('.is-viewed'));
  row?.querySelector('.rv-tick')?.click();
}

on('click', '#findings [data-walk], #findings [data-view]', (button) => {
  if (button.dataset.walk) walk(Number(button.dataset.walk));
  else view();
});
