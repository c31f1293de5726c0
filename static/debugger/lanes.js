/* Lanes of a row or two: there the selected pod cannot stay over the others, as it does in high lanes, for it would hide them all. It is
   scrolled into sight when it is selected or comes into the lane. */
import { here } from './cursor.js';

const LOW = '.lane-flying, .lane-backoff, .lane-gated, .lane-gone';

let before = '';

function showSelected() {
  const row = document.querySelector('#lanes .pod.is-selected');
  const lane = row?.closest(LOW);
  const [now, last] = [lane ? `${lane.id} ${here().pod} ${[...row.parentNode.children].indexOf(row)}` : '', before];
  before = now;
  if (!lane || now === last) return;
  const frame = row.closest('.scroll');
  frame.scrollTop = row.offsetTop - frame.offsetTop;
}

export function startLanes() {
  showSelected();
  document.addEventListener('cursor:moved', showSelected);
}
