/* Marks of the query that the address keeps (?hits=): asked for turn by turn, since chunks may have to be read. */
import { format, stage } from '../cursor.js';

const PAUSE_MS = 400;
/* So many turns, and no more marks than a strip shows. */
const MOST_TURNS = 60;

const kept = () => new URL(stage().dataset.address, location.href).searchParams.get('hits') ?? '';
const rest = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

/** Yield {marks, isOver, failure} as more is known: marks are {cycle, hits} in order. */
export async function* hitMarks(url, query, signal) {
  const cycles = new Map();
  let after = '';
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const response = await fetch(`${url}?${new URLSearchParams({ hits: query, after })}`, { signal });
    if (!response.ok) {
      const problem = response.headers.get('X-Problem');
      yield { marks: [], isOver: true, failure: problem ? decodeURIComponent(problem) : 'not read' };
      return;
    }
    const answer = await response.json();
    for (const [cycle, hits] of answer.marks) cycles.set(cycle, (cycles.get(cycle) ?? 0) + hits);
    const marks = [...cycles].map(([cycle, hits]) => ({ cycle, hits })).sort((one, other) => one.cycle - other.cycle);
    const isOver = !answer.next && !answer.waiting;
    yield { marks, isOver, failure: answer.failure };
    if (isOver) return;
    after = answer.next;
    if (answer.waiting) await rest(PAUSE_MS);
  }
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
      for await (const { marks, isOver, failure } of hitMarks(scrubber.root.dataset.hitsUrl, query, mine.signal)) {
        if (mine.signal.aborted) return;
        scrubber.setHits(marks);
        const total = marks.reduce((sum, one) => sum + one.hits, 0);
        said = failure || `${format(total)}${isOver ? '' : ' so far'}`;
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
