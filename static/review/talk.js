/* How many open threads are about each finding, counted again whenever the threads or the findings are replaced. */
import { icon } from '../common/icons.js';

/** Return how many threads are at these places, of {place: number}. */
export function threadsAt(places, counts) {
  return places.reduce((sum, place) => sum + (counts[place] ?? 0), 0);
}

function showTalk() {
  const counts = JSON.parse(document.getElementById('review-threads')?.dataset.places || '{}');
  for (const row of document.querySelectorAll('#findings .rv-row')) {
    const n = threadsAt(row.dataset.places.split(' '), counts);
    const talk = row.querySelector('[data-talk]');
    if (talk.dataset.talk === String(n)) continue;
    talk.dataset.talk = n;
    const said = document.createElement('span');
    said.className = 'sr';
    said.textContent = n === 1 ? ' open thread' : ' open threads';
    talk.replaceChildren(...(n ? [icon('comment', 'i i-12'), String(n), said] : []));
  }
}

showTalk();
for (const name of ['htmx:afterSettle', 'htmx:oobAfterSwap']) document.addEventListener(name, showTalk);
