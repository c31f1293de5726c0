/* Marks of the query that the address keeps (?hits=): asked for turn by turn, since chunks may have to be read. */
import { format, stage } from '../cursor.js';

const PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 3000;
/* So many hits are marked; and so often nothing comes before that is said. */
const MOST_HITS = 60_000;
const MOST_WAITS = 200;

const kept = () => new URL(stage().dataset.address, location.href).searchParams.get('hits') ?? '';
const rest = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

/** Yield {marks, isOver, isCut, failure} as more is known: marks are {cycle, hits} in order, all hits or, cut, the first ones. */
export async function* hitMarks(url, query, signal, { most = MOST_HITS, pauseMs = PAUSE_MS } = {}) {
  const cycles = new Map();
  let after = '';
  let marks = [];
  let total = 0;
  let waits = 0;
  while (waits < MOST_WAITS) {
    const response = await fetch(`${url}?${new URLSearchParams({ hits: query, after })}`, { signal });
    if (!response.ok) {
      const problem = response.headers.get('X-Problem');
      yield { marks, isOver: true, isCut: false, failure: problem ? decodeURIComponent(problem) : 'not read' };
      return;
    }
    const answer = await response.json();
    for (const [cycle, hits] of answer.marks) {
      cycles.set(cycle, (cycles.get(cycle) ?? 0) + hits);
      total += hits;
    }
    marks = [...cycles].map(([cycle, hits]) => ({ cycle, hits })).sort((one, other) => one.cycle - other.cycle);
    const isOver = !answer.next && !answer.waiting;
    const isCut = !isOver && total >= most;
    yield { marks, isOver: isOver || isCut, isCut, failure: answer.failure };
    if (isOver || isCut) return;
    waits = answer.waiting ? waits + 1 : 0;
    after = answer.next;
    if (answer.waiting) await rest(Math.min(pauseMs * (1 + waits / 8), LONGEST_PAUSE_MS));
  }
  yield { marks, isOver: true, isCut: false, failure: 'no answer' };
}

/** Return how many hits are marked in words: all, those so far, or the first ones and where the marks end. */
export function saidOf({ marks, isOver, isCut, failure }) {
  const total = marks.reduce((sum, one) => sum + one.hits, 0);
  if (failure) return total ? `${format(total)}, then ${failure}` : failure;
  if (isCut) return `first ${format(total)}, to cycle ${format(marks.at(-1).cycle)}`;
  return `${format(total)}${isOver ? '' : ' so far'}`;
}

/** Keep the track of hits with the address. */
export function startHits(scrubber) {
  let query = '';
  let control = null;
  let said = '';

  function say() {
    const place = document.getElementById('hits-count');
    if (place) place.textContent = said;
  }

  async function load() {
    control?.abort();
    control = new AbortController();
    const mine = control;
    said = '';
    scrubber.setHits([]);
    say();
    if (!query) return;
    try {
      for await (const known of hitMarks(scrubber.root.dataset.hitsUrl, query, mine.signal)) {
        if (mine.signal.aborted) return;
        scrubber.setHits(known.marks);
        said = saidOf(known);
        say();
      }
    } catch (error) {
      // Who went on has asked anew; without a connection the page says so itself.
      if (!mine.signal.aborted && !(error instanceof TypeError)) throw error;
    }
  }

  function moved() {
    if (kept() === query) {
      say();
      return;
    }
    query = kept();
    load();
  }

  document.addEventListener('cursor:moved', moved);
  document.addEventListener(
    'keydown',
    (ev) => {
      // N leads along the hits of the query while there is one.
      if (!query || ev.ctrlKey || ev.metaKey || ev.altKey || !['n', 'N'].includes(ev.key)) return;
      if (ev.target.closest?.('input, select, textarea, dialog, [contenteditable]')) return;
      const button = document.querySelector(`[data-key="${ev.key === 'n' ? 'F8' : 'Shift+F8'}"]`);
      if (!button) return;
      ev.preventDefault();
      ev.stopImmediatePropagation();
      button.click();
    },
    { capture: true },
  );
  moved();
}
