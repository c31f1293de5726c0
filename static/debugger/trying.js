/* The button beside the first remedy opens that remedy in the list below, where all that the engine decides with it stands. */
import { on } from '../common/on.js';

function open() {
  const first = document.querySelector('#remedies details.wy-try');
  if (!first) return;
  first.open = true;
  first.scrollIntoView({ block: 'center' });
  first.querySelector('summary').focus({ preventScroll: true });
}

/** Have the button work from now on, also where it comes later. */
export const startTrying = () => on('click', '[data-tries]', open);
