/* The key C: the tab of threads opens and its field takes the focus, as soon as it has been fetched. */
let isWanted = false;

function focusField() {
  const field = document.querySelector('#inspector .threads-slot textarea');
  if (!isWanted || !field) return;
  isWanted = false;
  field.focus();
}

/** Follow the link that opens the threads with the field of a new comment. */
export function startComposer() {
  document.addEventListener('click', (ev) => {
    isWanted = Boolean(ev.target.closest('[data-composer]'));
    if (isWanted) requestAnimationFrame(focusField);
  });
  document.addEventListener('htmx:afterSettle', focusField);
  document.addEventListener('cursor:moved', focusField);
}
