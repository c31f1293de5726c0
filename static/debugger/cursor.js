/* The cursor on the page: which address is shown, and the one way to another. One request is under way at a time, and beside it the step
   that probably comes next is fetched ahead. Every link to this run's page becomes such a move, so the page works from links alone.

   The links with rel="next" and rel="prev" are the steps that playing and fetching ahead go by; the server gives these to the grain that is
   chosen. Of an answer all parts are painted in one frame: listeners of `cursor:answer` may hold it up (detail.wait), those of
   `cursor:moved` draw at once. */
import { toast } from '../common/toast.js';
import { changed, differInInspector, withoutMoment } from './address.js';
import { Answers, Refusal } from './answers.js';
import { startFills } from './fills.js';
import { paint, shown } from './painting.js';
import { shortOf } from './short.js';
import { startReadings } from './readings.js';
import { startTrying } from './trying.js';
import { isPlainClick, on } from '../common/on.js';
import { changeTitle } from '../common/title.js';

const number = new Intl.NumberFormat('en');
const answers = new Answers();
/* Windows of this size show a summary of the cursor instead of panes; parts for others come without it. */
const small = matchMedia('(max-width: 767px)');
/* At most this many presses are made up for. */
const OWED = 8;

let address = location.href;
let moving = null;
let isRunning = false;
let waiting = null;
/* A step that was asked for while another was under way: {key, count, isHeld}. */
let owed = null;
let isHeld = false;
let forwards = true;

export const format = (value) => number.format(value);

/** Return the element that holds the panes and, in its data, where the cursor is. */
export const stage = () => document.getElementById('main');

/** Return {seq, head, cycle, cycles, shown, pod, node, named, at, live} of what is painted: `cycles` are those of the run so far, `shown` is
    the inspector's. */
export function here() {
  const { seq, head, cycle, cycles, shown: shownCycle, pod, node, named, at, live } = stage().dataset;
  return {
    seq: Number(seq),
    head: Number(head),
    cycle: Number(cycle),
    cycles: Number(cycles),
    shown: Number(shownCycle),
    pod,
    node,
    named: named ? Number(named) : null,
    at: Number(at),
    live: live === '1',
  };
}

/** Return the painted address with these parameters changed; another moment (seq, cycle, near) drops what belonged to the one before. */
export const urlFor = (changes) => changed(address, changes);

/** Return the address of the next step (or the previous one) of the chosen grain, null where there is none. */
export function stepUrl(isForwards = true, root = document) {
  const link = root.querySelector(`#transport a[rel="${isForwards ? 'next' : 'prev'}"]`);
  return link && link.getAttribute('aria-disabled') !== 'true'
    ? new URL(link.getAttribute('href'), address).href
    : null;
}

/** Show another address. `replace` keeps the history as long as it is: playing and dragging are not steps to go back to. With `follows` the
    address stays without a moment; with `isFresh` no answer from before will do; `isLed` is a move of somebody whom the reader follows. */
export function go(url, { replace = false, follows = false, isFresh = false, isLed = false } = {}) {
  const move = { url: new URL(url, address), replace, follows };
  if (!isLed && !isFresh) document.dispatchEvent(new CustomEvent('place:own'));
  if (isFresh) answers.drop();
  else if (moving?.url.href === move.url.href && !waiting) return;
  waiting = move;
  if (!isRunning) run();
}

/** Ask for what is shown once more: the run's state changed, or what was being read is there. */
export const again = () => go(address, { replace: true, isFresh: true });

/** Put the painted moment into the address bar, which has none while a run is followed. */
export const settle = () => history.replaceState(null, '', address);

/** Put what was changed on the page itself into the painted address, and into the address bar: the link shows the same. */
export function amend(changes) {
  address = new URL(urlFor(changes), address).href;
  history.replaceState(null, '', address);
  for (const link of document.querySelectorAll('#selection [data-copy-note]')) link.search = new URL(address).search;
  document.dispatchEvent(new CustomEvent('place:moved'));
}

/* What a move asks for: the panes, or the summary with them. */
const stageTarget = () => (small.matches ? 'summary' : 'main');

/** Return whether a move is under way or waits for its turn. */
export const isBusy = () => moving !== null || waiting !== null;

/** Forget answers that may be others now that the run went on. */
export const refresh = () =>
  answers.drop((answer) => !answer.prepare().querySelector('#main')?.hasAttribute('data-final'));

async function run() {
  isRunning = true;
  // For scripts that wait until the page rests.
  document.documentElement.dataset.moves = 'busy';
  try {
    while (waiting) {
      await runOne();
      payStep();
    }
  } finally {
    isRunning = false;
    delete document.documentElement.dataset.moves;
  }
}

async function runOne() {
  moving = waiting;
  waiting = null;
  const busy = setTimeout(() => stage().setAttribute('aria-busy', 'true'), 150);
  try {
    await moveTo(moving);
  } finally {
    clearTimeout(busy);
    stage().removeAttribute('aria-busy');
    moving = null;
  }
}

async function moveTo({ url, replace, follows }) {
  const target = differInInspector(address, url.href) ? 'inspector' : stageTarget();
  let body;
  try {
    const answer = await answers.get(url.href, target);
    if (target !== 'inspector' && !follows) fetchBehind(answer.prepare());
    await prepared(answer.prepare());
    body = answer.take();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    [owed, waiting] = [null, null];
    document.dispatchEvent(new CustomEvent('cursor:failed', { detail: { isOffline: error.isOffline } }));
    if (error.message && !error.isOffline) toast(error.message, { meaning: 'error' });
    return;
  }
  const { head, cycles } = here();
  const before = here().seq;
  paint(body);
  // A kept answer may be of a time when the run was not as far.
  if (here().head < head) Object.assign(stage().dataset, { head, cycles });
  if (here().seq !== before) forwards = here().seq > before;
  arrived(url, { replace, follows }, target);
  // Who follows goes on to the head, wherever that is by then.
  if (!follows) fetchAhead();
  await shown();
}

/** Let others have what they need for the answer (the map its nodes' names) before it is painted. */
async function prepared(body) {
  const wait = [];
  document.dispatchEvent(new CustomEvent('cursor:answer', { detail: { body, wait } }));
  if (wait.length) await Promise.allSettled(wait);
}

function arrived(url, { replace, follows }, target) {
  // The server says which address this is: it chose the cycle under a hand on the timeline, or a pod's last attempt.
  if (target === 'inspector') stage().dataset.address = url.pathname + url.search;
  address = new URL(stage().dataset.address, url).href;
  const bar = follows ? withoutMoment(address) : address;
  if (bar !== location.href.replace(/#.*/, '')) history[replace ? 'replaceState' : 'pushState'](null, '', bar);
  const cycle = here().named ? `Cycle ${format(here().named)} · ` : '';
  changeTitle((title) => title.replace(/^(Cycle [\d,]+ · )?/, cycle));
  document.dispatchEvent(new CustomEvent('cursor:moved', { detail: { ...here(), target } }));
  document.dispatchEvent(new CustomEvent('place:moved'));
}

/** While an answer is being painted the server works on the step after it. */
function fetchBehind(body) {
  const seq = Number(body.querySelector('#main')?.dataset.seq);
  const url = stepUrl(seq >= here().seq, body);
  if (url && !answers.inFlight) answers.get(url, stageTarget()).catch(ignoreRefusal);
}

/* Only in case; who goes there hears of it. */
function ignoreRefusal(error) {
  if (!(error instanceof Refusal)) throw error;
}

/** Fetch the step that probably comes next while the reader looks at this one, and the one behind the reader's back. */
async function fetchAhead() {
  if (answers.inFlight || 'incomplete' in stage().dataset) return;
  const [likely, other] = [stepUrl(forwards), stepUrl(!forwards)];
  const wanted = [likely, other].find((url) => url && url !== address && !answers.has(url, stageTarget()));
  if (!wanted) return;
  try {
    (await answers.get(wanted, stageTarget())).prepare();
  } catch (error) {
    ignoreRefusal(error);
    return;
  }
  if (!moving && !waiting) fetchAhead();
}

/** Remember a step for when the one before is painted: a key that is held leaves none out, nor does one pressed quickly. */
function owe(key) {
  const count = !isHeld && owed?.key === key ? Math.min(owed.count + 1, OWED) : 1;
  owed = { key, count, isHeld };
}

function payStep() {
  if (!owed || waiting) return;
  const { key, count } = owed;
  owed = count > 1 ? { ...owed, count: count - 1 } : null;
  const link = document.querySelector(`[data-seek][data-key="${key}"]`);
  if (link) follow(link);
}

function onClick(link, ev) {
  if (!isPlainClick(ev) || link.target || link.closest('.runbar, .appbar, dialog') || 'plainLink' in link.dataset)
    return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || url.pathname !== location.pathname) return;
  ev.preventDefault();
  if (link.hasAttribute('data-seek')) document.dispatchEvent(new CustomEvent('cursor:seek'));
  if (moving && link.hasAttribute('data-seek') && link.dataset.key) owe(link.dataset.key);
  else follow(link);
}

function follow(link) {
  if (link.getAttribute('aria-disabled') !== 'true') go(link.href);
}

function onForm(form, ev) {
  if (ev.type === 'submit') ev.preventDefault();
  if (ev.type === 'input' && !ev.target.matches('[type="search"]')) return;
  // The one search field of the form is the parameter; another text begins at the first page.
  const field = form.querySelector('[type="search"]');
  go(urlFor({ [field.name]: field.value.trim(), page: null, open: null }), { replace: true });
}

/* A move of somebody whom the reader follows, where this page can show it. */
function onLed(ev) {
  const url = new URL(ev.detail.address);
  if (url.pathname !== location.pathname) return;
  ev.preventDefault();
  go(url.href, { replace: true, isLed: true });
}

async function copyLink() {
  const link = shortOf(address);
  try {
    await navigator.clipboard.writeText(link);
    toast('Link copied', { meaning: 'bound' });
  } catch {
    toast(`The browser does not let pages copy here. The link is ${link}`, { meaning: 'backoff' });
  }
}

/** Make links and forms of the page moves of the cursor. */
export function startCursor() {
  // The page may have been opened without a moment; what it shows has one.
  const plain = 'plain' in stage().dataset;
  address = new URL(stage().dataset.address, location.href).href;
  // The fragment names a thread of the moment; it goes with the first move to another.
  if (!(plain && here().live)) history.replaceState(null, '', address + location.hash);
  on('click', 'a[href]', onClick);
  on('submit', 'form[data-cursor-form]', onForm);
  on('input', 'form[data-cursor-form]', onForm);
  on('click', '[data-copy-url]', copyLink);
  document.addEventListener('place:ask', (ev) => (ev.detail.address = address));
  document.addEventListener('place:go', onLed);
  document.dispatchEvent(new CustomEvent('place:moved'));
  addEventListener('popstate', () => go(location.href, { replace: true }));
  small.addEventListener('change', again);
  const held = (ev) => {
    isHeld = ev.type === 'keydown' && ev.repeat;
    // Steps of a key that is let go are not made up for.
    if (ev.type === 'keyup' && owed?.isHeld) owed = null;
  };
  addEventListener('keydown', held, true);
  addEventListener('keyup', held, true);
  // A page that nobody has touched yet, such as a link that was opened beside others, costs the server one answer.
  const touched = new AbortController();
  for (const sign of ['pointermove', 'pointerdown', 'keydown', 'focusin'])
    addEventListener(
      sign,
      () => {
        touched.abort();
        fetchAhead();
      },
      { signal: touched.signal },
    );
}

startFills();
startReadings();
startTrying();
