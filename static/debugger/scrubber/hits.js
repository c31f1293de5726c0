/* Marks of the query that the address keeps (?hits=) and of the breakpoints that are on: asked for one after the other and turn by turn,
   since chunks may have to be read. */
import { isForPage } from '../../common/keyboard.js';
import { format, stage } from '../cursor.js';

const PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 3000;
/* At most this many hits are marked; and after this many empty answers the page says so. */
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

/** Return the marks of several queries as those of one: a cycle has the hits of all. */
export function together(several) {
  const cycles = new Map();
  for (const marks of several) for (const { cycle, hits } of marks) cycles.set(cycle, (cycles.get(cycle) ?? 0) + hits);
  return [...cycles].map(([cycle, hits]) => ({ cycle, hits })).sort((one, other) => one.cycle - other.cycle);
}

/** Return {query: how many hits the list says it has} of the breakpoints that are on; null while they are counted. */
function breakpointsOn() {
  const list = document.getElementById('breakpoint-list');
  const lines = [...(list?.querySelectorAll('.bp:not(.is-off)') ?? [])];
  const counts = lines.map((one) => [one.dataset.query, one.querySelector('.bp-hits').dataset.hits]);
  if (!list || list.dataset.turn || counts.some(([, hits]) => hits === '…')) return null;
  return new Map(counts.filter(([, hits]) => hits !== 'not counted'));
}

/** Keep the track of hits with the address and with the list of breakpoints. */
export function startHits(scrubber) {
  let query = '';
  let on = new Map();
  let control = null;
  // {query: {count, answer}}: `count` is what the list said when its marks were asked for, `answer` the last of `hitMarks`.
  const known = new Map();

  function say() {
    const place = document.getElementById('hits-count');
    const answer = known.get(query)?.answer;
    if (place) place.textContent = answer ? saidOf(answer) : '';
  }

  function show() {
    scrubber.setHits(together([...known.values()].map(({ answer }) => answer?.marks ?? [])));
    say();
  }

  /** Ask for the marks of each query that has not all of them, one after the other. */
  async function load() {
    control?.abort();
    control = new AbortController();
    const mine = control;
    try {
      for (const [text, one] of known) {
        if (one.answer?.isOver) continue;
        for await (const answer of hitMarks(scrubber.root.dataset.hitsUrl, text, mine.signal)) {
          if (mine.signal.aborted) return;
          one.answer = answer;
          show();
        }
      }
    } catch (error) {
      // Who went on has asked again; without a connection the page says so itself.
      if (!mine.signal.aborted && !(error instanceof TypeError)) throw error;
    }
  }

  /** Have the marks of what is asked for now, and of nothing else; those that are known stay. */
  function follow() {
    query = kept();
    on = breakpointsOn() ?? on;
    const wanted = query ? new Map([[query, on.get(query)], ...on]) : on;
    const gone = [...known.keys()].filter((text) => !wanted.has(text));
    const fresh = [...wanted].filter(([text, count]) => !known.has(text) || known.get(text).count !== count);
    for (const text of gone) known.delete(text);
    for (const [text, count] of fresh) known.set(text, { count, answer: null });
    say();
    if (!gone.length && !fresh.length) return;
    show();
    load();
  }

  document.addEventListener('cursor:moved', follow);
  document.addEventListener('breakpoints:listed', follow);
  document.addEventListener(
    'keydown',
    (ev) => {
      // N leads along the hits of the query while there is one.
      if (!query || !['n', 'N'].includes(ev.key) || !isForPage(ev)) return;
      const button = document.querySelector(`[data-key="${ev.key === 'n' ? 'F8' : 'Shift+F8'}"]`);
      if (!button) return;
      ev.preventDefault();
      ev.stopImmediatePropagation();
      button.click();
    },
    { capture: true },
  );
  follow();
}
