/* F8 and Shift+F8: to the next and the previous hit of the breakpoints that are on. What rows hold is answered at once; chunks are read turn by
   turn, with how far it is, until Escape or Cancel ends it. */
import { go, isBusy, stage, urlFor } from '../cursor.js';
import { toast } from '../../common/toast.js';
import { on } from '../../common/on.js';
import { problemIn } from '../../common/problem.js';

/* At most this many presses are made up for. */
const MOST = 8;
/* A walk that is answered at once says nothing of how far it is. */
const SILENT = 200;
const SAYS = {
  next: ['Looking for the next hit', 'ahead of here'],
  previous: ['Looking for the hit before', 'before here'],
};

const place = () => document.getElementById('walk');
const words = () => place().querySelector('[data-words]');
let under = null;
let owed = [];
/* The step that a walk takes itself ends no walk. */
let leads = false;

const painted = () =>
  new Promise((done) => {
    const look = () => (isBusy() ? setTimeout(look, 20) : done());
    look();
  });

function hide(walk) {
  clearTimeout(walk.timer);
  if (under === walk) place().hidden = true;
}

async function answerOf(walk, from) {
  const base = walk.direction === 'next' ? place().dataset.url : place().dataset.backUrl;
  const query = new URL(stage().dataset.address, location.href).searchParams;
  if (from) query.set('from', from);
  const response = await fetch(`${base}?${query}`, { signal: walk.control.signal });
  if (response.ok) return response.json();
  throw new Error(problemIn(response));
}

/** Return the last answer of a walk: with `to` where it leads, without where there is no further hit. */
async function walkOn(walk) {
  let from = '';
  walk.timer = setTimeout(() => (place().hidden = false), SILENT);
  words().textContent = SAYS[walk.direction][0];
  for (;;) {
    const answer = await answerOf(walk, from);
    if (answer.done) return answer;
    from = answer.from;
    words().textContent = answer.waits || `${SAYS[walk.direction][0]}, ${Math.floor(100 * answer.share)} %`;
  }
}

function arrive(walk, answer) {
  const near = document.querySelector(`[data-run-hit="${walk.direction}"]`);
  if (answer.to) {
    leads = true;
    document.dispatchEvent(new CustomEvent('cursor:seek'));
    leads = false;
    go(urlFor(answer.to));
    document.getElementById('spoken').textContent = `Hit of ${answer.name}: ${answer.text}`;
    return;
  }
  owed = [];
  const count = [
    ...(answer.query ? ['the query'] : []),
    ...(answer.breakpoints === 1 ? ['the breakpoint'] : []),
    ...(answer.breakpoints > 1 ? [`${answer.breakpoints} breakpoints`] : []),
  ].join(' and of ');
  const soFar = stage().dataset.live === '1' && walk.direction === 'next' ? ', so far' : '';
  const text = count
    ? `No further hit of ${count} ${SAYS[walk.direction][1]}${soFar}`
    : 'No breakpoint is on for this run';
  toast(text, { meaning: 'cursor', near });
}

async function run(direction) {
  const walk = { direction, control: new AbortController(), timer: 0 };
  under = walk;
  try {
    await painted();
    arrive(walk, await walkOn(walk));
    hide(walk);
    await painted();
  } catch (error) {
    hide(walk);
    owed = [];
    if (walk.control.signal.aborted) return;
    const text = error instanceof TypeError ? 'No connection to the server. What you see is unchanged.' : error.message;
    toast(text, { meaning: 'error' });
  } finally {
    under = null;
    document.documentElement.toggleAttribute('data-walks', owed.length > 0);
    if (owed.length) run(owed.shift());
  }
}

function press(direction) {
  if (!under) {
    document.documentElement.setAttribute('data-walks', '');
    run(direction);
  } else if (owed.length < MOST) owed.push(direction);
}

function cancel() {
  if (leads) return;
  owed = [];
  under?.control.abort();
}

/** Wire the buttons and what ends a walk. */
export function startWalk() {
  if (!place()) return;
  on('click', '[data-run-hit]', (button) => press(button.dataset.runHit));
  on('click', '#walk [data-cancel]', cancel);
  document.addEventListener(
    'keydown',
    (ev) => {
      if (ev.key !== 'Escape' || !under || document.querySelector('dialog[open]')) return;
      ev.preventDefault();
      ev.stopPropagation();
      cancel();
    },
    true,
  );
  // Any other step is where the reader wants to be.
  document.addEventListener('cursor:seek', cancel);
  document.addEventListener('cursor:play', cancel);
}
