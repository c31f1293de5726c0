/* What one step is: the choice is remembered for runs that are opened by an address without one; and the strip of plugin calls, in which the
   call at the cursor stays in sight. */
import { go, here, stage, urlFor } from './cursor.js';
import { on } from '../common/on.js';

const KEPT = 'run-grain';

function recall() {
  const kept = localStorage.getItem(KEPT);
  const isNamed = new URL(location.href).searchParams.has('step');
  const follows = 'plain' in stage().dataset && here().live;
  if (isNamed || follows || !kept || kept === 'cycle') return;
  if (document.querySelector(`#grain a[data-step="${CSS.escape(kept)}"]`))
    go(urlFor({ step: kept }), { replace: true });
}

function reveal() {
  const strip = document.querySelector('.calls');
  const call = strip?.querySelector('[aria-current]');
  if (!call) return;
  const [outer, inner] = [strip.getBoundingClientRect(), call.getBoundingClientRect()];
  // Its neighbours show as well, so that one sees what comes next.
  const room = Math.min(120, (outer.width - inner.width) / 2);
  if (inner.left < outer.left + room) strip.scrollLeft += inner.left - outer.left - room;
  else if (inner.right > outer.right - room) strip.scrollLeft += inner.right - outer.right + room;
}

/** Remember the grain and keep the call at the cursor in sight. */
export function startGrains() {
  on('click', '#grain a[data-step]', (link) => localStorage.setItem(KEPT, link.dataset.step), true);
  document.addEventListener('cursor:moved', reveal);
  reveal();
  recall();
}
