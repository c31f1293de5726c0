/* Walking through the findings of a review: N and P move, V marks what has the focus as viewed, Enter opens it. */

/* The place of the next finding, from the one with the focus (-1 for none), around the end. */
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
  const at = all.findIndex((row) => row.contains(document.activeElement));
  all[nextPlace(at, step, all.length)].querySelector('a').focus();
}

function view() {
  const row =
    document.activeElement?.closest?.('#findings .rv-row') ?? rows().find((one) => !one.matches('.is-viewed'));
  row?.querySelector('.rv-tick')?.click();
}

document.addEventListener('click', (ev) => {
  const button = ev.target.closest?.('#findings [data-walk], #findings [data-view]');
  if (!button) return;
  if (button.dataset.walk) walk(Number(button.dataset.walk));
  else view();
});
