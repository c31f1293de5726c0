/* Choosing rows of a table: the bar with actions appears as soon as one is chosen, and survives a swapped table. */
function refresh() {
  const bar = document.getElementById('bulk');
  if (!bar) return;
  const all = [...document.querySelectorAll('[data-pick]')];
  const picked = all.filter((box) => box.checked);
  bar.hidden = picked.length === 0;
  bar.querySelector('[data-picked]').textContent = String(picked.length);
  const head = document.querySelector('[data-pick-all]');
  if (!head) return;
  head.checked = picked.length > 0 && picked.length === all.length;
  head.indeterminate = picked.length > 0 && picked.length < all.length;
}

document.addEventListener('change', (ev) => {
  if (ev.target.matches('[data-pick-all]')) {
    for (const box of document.querySelectorAll('[data-pick]')) box.checked = ev.target.checked;
  }
  if (ev.target.matches('[data-pick-all], [data-pick]')) refresh();
});
document.addEventListener('htmx:afterSettle', refresh);
window.addEventListener('pageshow', refresh);
refresh();
