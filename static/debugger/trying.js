/* The button beside the first remedy opens that remedy in the list below, where all that the engine decides with it stands. */

function open(ev) {
  if (!ev.target.closest?.('[data-tries]')) return;
  const first = document.querySelector('#remedies details.wy-try');
  if (!first) return;
  first.open = true;
  first.scrollIntoView({ block: 'center' });
  first.querySelector('summary').focus({ preventScroll: true });
}

/** Have the button work from now on, also where it comes later. */
export const startTrying = () => document.addEventListener('click', open);
