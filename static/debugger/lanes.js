/* Lanes keep what room they once had on this page: up to three rows, and a share of the rest for those that had more. While one steps, lanes
   below then stay where they are, though pods come and go.

   Lanes of a row or two: there the selected pod cannot stay over the others, as it does in high lanes, for it would hide them all. It is
   scrolled into sight when it is selected or comes into the lane. */
import { here } from './cursor.js';

const LOW = '.lane-flying, .lane-backoff, .lane-gated, .lane-gone';

const ROWS = 3;

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

function keepRoom() {
  const kept = document.documentElement.style;
  for (const lane of document.querySelectorAll('#lanes .lane')) {
    const [pods, name] = [lane.querySelectorAll('.pod').length, `--${lane.id}`];
    if (Math.min(pods, ROWS) > Number(kept.getPropertyValue(name))) kept.setProperty(name, Math.min(pods, ROWS));
    if (pods > ROWS) kept.setProperty(`${name}-grows`, 1);
  }
}

function follow() {
  keepRoom();
  showSelected();
}

export function startLanes() {
  follow();
  document.addEventListener('cursor:moved', follow);
}
