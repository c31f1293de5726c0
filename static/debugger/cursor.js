/* The cursor on the page: which address is shown, and the one way to another. At most four requests a second; of those that
   come faster only the newest is sent. Every link to this run's page becomes such a move, so the page works from links alone. */
import { toast } from '../common/toast.js';

const MIN_GAP = 250;
const LASTING = ['tab', 'values', 'map', 'step', 'plugin', 'node', 'q', 'pods', 'sort', 'order'];
/* Changes of these alone concern the inspector only. */
const INSPECTOR = new Set(['values', 'sort', 'order', 'page', 'open', 'q', 'plugin']);
const number = new Intl.NumberFormat('en');

let inFlight = false;
let waiting = null;
let lastStart = -Infinity;
let timer = 0;

export const format = (value) => number.format(value);

/** Return the element that holds the panes and, in its data, where the cursor is. */
export const stage = () => document.getElementById('main');

/** Return {seq, head, cycle, named, at, ahead: [[cycle, seq]], live} of what is shown. */
export function here() {
  const { seq, head, cycle, named, at, ahead, live } = stage().dataset;
  return {
    seq: Number(seq),
    head: Number(head),
    cycle: Number(cycle),
    named: named ? Number(named) : null,
    at: Number(at),
    live: live === '1',
    ahead: ahead ? ahead.split(' ').map((pair) => pair.split(':').map(Number)) : [],
  };
}

/** Return the address with these parameters changed; another moment (seq, cycle, near) drops what belonged to the one before. */
export function urlFor(changes) {
  const old = new URL(location.href);
  const moves = ['seq', 'cycle', 'near'].some((name) => name in changes);
  const query = new URLSearchParams();
  for (const [name, value] of old.searchParams) if (!moves || LASTING.includes(name)) query.set(name, value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, String(value));
  }
  return `${old.pathname}?${query}`;
}

/** Show another address. `replace` keeps the history as long as it is: playing and dragging are not steps to go back to. */
export function go(url, { replace = false } = {}) {
  waiting = { url: new URL(url, location.href), replace };
  if (!inFlight && !timer) schedule();
  return waiting;
}

/** Return whether a request is under way or waits for its turn. */
export const isBusy = () => inFlight || waiting !== null;

function schedule() {
  const wait = Math.max(0, lastStart + MIN_GAP - performance.now());
  timer = setTimeout(send, wait);
}

async function send() {
  timer = 0;
  const { url, replace } = waiting;
  waiting = null;
  inFlight = true;
  lastStart = performance.now();
  stage().setAttribute('aria-busy', 'true');
  const target = concernsInspector(url) ? 'inspector' : 'main';
  try {
    if (await fetchInto(target, url)) arrived(url, replace, target);
    else document.dispatchEvent(new CustomEvent('cursor:failed'));
  } finally {
    inFlight = false;
    stage().removeAttribute('aria-busy');
    if (waiting && !timer) schedule();
  }
}

/* A request of our own, for htmx would queue it behind others of the page, or drop it. */
async function fetchInto(target, url) {
  let answer;
  try {
    answer = await fetch(url, { headers: { 'HX-Request': 'true', 'HX-Target': target } });
  } catch {
    toast('No connection to the server. What you see is unchanged.', { meaning: 'error' });
    return false;
  }
  if (answer.headers.has('HX-Redirect')) {
    location.assign(answer.headers.get('HX-Redirect'));
    return false;
  }
  const text = await answer.text();
  if (!answer.ok) {
    const problem = answer.headers.get('X-Problem');
    toast(problem ? decodeURIComponent(problem) : `The server answered ${answer.status}. What you see is unchanged.`, {
      meaning: 'error',
    });
    return false;
  }
  const how = { swapStyle: 'morph:outerHTML', swapDelay: 0, settleDelay: 0 };
  const element = document.getElementById(target);
  await new Promise((done) => {
    window.htmx.swap(element, text, how, { contextElement: element, afterSettleCallback: done });
  });
  return true;
}

function concernsInspector(url) {
  const old = new URL(location.href).searchParams;
  const names = new Set([...old.keys(), ...url.searchParams.keys()]);
  const changes = [...names].some((name) => old.get(name) !== url.searchParams.get(name));
  return changes && [...names].every((name) => INSPECTOR.has(name) || old.get(name) === url.searchParams.get(name));
}

function arrived(url, replace, target) {
  const shown = new URL(url);
  if (shown.searchParams.has('near')) {
    // The server chose the cycle; the address says which.
    shown.searchParams.delete('near');
    const { named, seq } = here();
    shown.searchParams.set(named ? 'cycle' : 'seq', named ?? seq);
  }
  if (shown.href !== location.href) history[replace ? 'replaceState' : 'pushState'](null, '', shown);
  document.title = document.title.replace(
    /^(Cycle [\d,]+ · )?/,
    here().named ? `Cycle ${format(here().named)} · ` : '',
  );
  document.dispatchEvent(new CustomEvent('cursor:moved', { detail: { ...here(), target } }));
}

function onClick(ev) {
  if (ev.defaultPrevented || ev.button || ev.metaKey || ev.ctrlKey || ev.shiftKey || ev.altKey) return;
  const link = ev.target.closest('a[href]');
  if (!link || link.target || link.closest('.runbar, .appbar, dialog') || 'plainLink' in link.dataset) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || url.pathname !== location.pathname) return;
  ev.preventDefault();
  if (link.getAttribute('aria-disabled') === 'true') return;
  if (link.hasAttribute('data-seek')) document.dispatchEvent(new CustomEvent('cursor:seek'));
  go(url);
}

function onForm(ev) {
  const form = ev.target.closest?.('form[data-cursor-form]');
  if (!form) return;
  if (ev.type === 'submit') ev.preventDefault();
  if (ev.type === 'input' && !ev.target.matches('[type="search"]')) return;
  // The one search field of the form is the parameter; another text begins at the first page.
  const field = form.querySelector('[type="search"]');
  go(urlFor({ [field.name]: field.value.trim(), page: null, open: null }), { replace: true });
}

/** Make links and forms of the page moves of the cursor. */
export function startCursor() {
  // Parts that scripts draw are theirs; a morph must not empty them.
  const { callbacks } = window.Idiomorph.defaults;
  const { beforeNodeMorphed } = callbacks;
  // The server sends the place of threads empty: what was fetched into the same place stays.
  const isFilled = (old, fresh) => old.matches?.('.threads-slot') && old.id === fresh.id && old.childElementCount > 0;
  callbacks.beforeNodeMorphed = (old, fresh) =>
    old.id !== 'map' && !isFilled(old, fresh) && beforeNodeMorphed(old, fresh);
  document.addEventListener('click', onClick);
  document.addEventListener('submit', onForm);
  document.addEventListener('input', onForm);
  addEventListener('popstate', () => go(location.href, { replace: true }));
  document.addEventListener('click', async (ev) => {
    if (!ev.target.closest('[data-copy-url]')) return;
    const { named, seq } = here();
    const link = new URL(urlFor(named ? {} : { seq }), location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      toast('Link copied', { meaning: 'bound' });
    } catch {
      toast(`The browser does not let pages copy here. The link is ${link}`, { meaning: 'backoff' });
    }
  });
}
