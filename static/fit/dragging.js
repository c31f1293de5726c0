/* Where a pod fits while it is dragged in the editor: asked once when the drag begins, and shown before it is dropped.
   Told on the document: fit:dragged ({pod, nodes, untried} as in fit:lit). Without an answer nodes look as ever. */
import { litOf } from './lit.js';

let request = null;

const hand = () => document.getElementById('hand');
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/* The lines of nodes in the tree, where a pod may be dropped as well. */
function markTree(nodes) {
  const fits = new Map(nodes.map((one) => [one.node, one.fits]));
  for (const link of document.querySelectorAll('#wb-tree [data-map-node]')) {
    const known = fits.get(link.dataset.mapNode);
    link.parentElement.classList.toggle('is-fit', known === true);
    link.parentElement.classList.toggle('is-unfit', known === false);
  }
}

/* Return what the engine says, or null where it says nothing: the drop itself is answered with the reason. */
async function answerFor(pod, signal) {
  const first = new URL(hand().dataset.fits, location.href);
  first.searchParams.set('pod', pod);
  for (let url = first; url && !signal.aborted;) {
    const answer = await fetch(url, { headers: { Accept: 'application/json' }, signal });
    if (!answer.ok) return null;
    const { lit, again, pause: wait } = await answer.json();
    if (lit) return litOf(lit);
    if (again) await pause(wait);
    url = again;
  }
  return null;
}

async function begin(pod) {
  const mine = (request = new AbortController());
  let lit = null;
  try {
    lit = await answerFor(pod, mine.signal);
  } catch (problem) {
    if (problem.name !== 'AbortError' && !(problem instanceof TypeError)) throw problem;
  }
  if (!lit || mine.signal.aborted) return;
  document.dispatchEvent(new CustomEvent('fit:dragged', { detail: lit }));
  markTree(lit.nodes);
}

document.addEventListener('map:dragging', (ev) => {
  request?.abort();
  markTree([]);
  if (ev.detail && hand()?.dataset.fits) begin(ev.detail.pod);
});
