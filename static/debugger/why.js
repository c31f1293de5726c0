/* The page that says why a pod is pending: links, steps and pods of the same reason are moves of the cursor. */
import { again, amend, stage } from './cursor.js';
import { startPanes } from './panes.js';
import { startStrip } from './strip.js';
import { startCopying } from './why-copy.js';

const PATIENCE = 800;
const ATTEMPTS = 60;

let asked = 0;

/** Bring the pod that the page is about into view, where it stood before as far as the list allows. */
function reveal() {
  const list = document.getElementById('sibling-list');
  const here = list?.querySelector('[aria-current]');
  if (!here) return;
  const [box, frame] = [here.getBoundingClientRect(), list.getBoundingClientRect()];
  const margin = 3 * box.height;
  if (box.top < frame.top + margin || box.bottom > frame.bottom - margin)
    list.scrollTop += box.top - frame.top - frame.height / 2;
}

/** Ask again while sizes are read or pods are summed up beside the page. */
function complete() {
  if (!('incomplete' in stage().dataset) || asked >= ATTEMPTS) return;
  asked += 1;
  setTimeout(() => {
    if ('incomplete' in stage().dataset) again();
  }, PATIENCE);
}

/** The address says which change was asked about, so that a link or a reload shows the same. */
function noteChange(ev) {
  const { would } = document.getElementById('would')?.dataset ?? {};
  if (would && ev.detail.target?.id === 'would') amend({ would });
}

function moved() {
  reveal();
  complete();
}

startStrip();
startCopying();
startPanes();
document.addEventListener('cursor:moved', moved);
document.addEventListener('htmx:afterSwap', noteChange);
moved();
document.documentElement.dataset.debugger = 'ready';
