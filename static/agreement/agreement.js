/* The button "Next difference" goes from one pod that differs to the next, and from the last to the first. */
let last = null;

document.addEventListener('focusin', (ev) => {
  last = ev.target.closest('.diffrow') ?? last;
});

document.addEventListener('click', (ev) => {
  if (!ev.target.closest('[data-next-difference]')) return;
  const rows = [...document.querySelectorAll('.diffrow')];
  const next = rows[(rows.indexOf(last) + 1) % rows.length];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
});
