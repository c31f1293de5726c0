/* The list of breakpoints: numbers of hits are asked for when the cursor has come to rest, and again while a worker counts. The form of a
   breakpoint opens over the page. */
import { here, stage } from '../cursor.js';
import { toast } from '../../common/toast.js';
import { startQueryFields } from '../../query/field.js';
import { on } from '../../common/on.js';
import { problemIn } from '../../common/problem.js';

const REST = 250;
const BETWEEN_TURNS = 300;
/* A run that goes on has more hits every moment. */
const BETWEEN_HEADS = 3000;

const list = () => document.getElementById('breakpoint-list');
const query = () => new URL(stage().dataset.address, location.href).search.slice(1);
let timer = 0;
let asked = null;
let turn = 0;
let headTimer = 0;

async function load() {
  const place = list();
  if (!place) return;
  asked?.abort();
  const mine = new AbortController();
  asked = mine;
  try {
    const url = `${place.dataset.url}?${query()}&turn=${turn}`;
    const response = await fetch(url, { headers: { 'HX-Request': 'true' }, signal: mine.signal });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    show(await response.text());
  } catch (error) {
    // Who went on has asked again; without a connection the page says so itself.
    if (mine.signal.aborted || error instanceof TypeError) return;
    place.title = `Hits are not counted: ${error.message}`;
  }
}

function show(text) {
  const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('breakpoint-list');
  if (!fresh) return;
  window.Idiomorph.morph(list(), fresh, { morphStyle: 'outerHTML', ignoreActiveValue: true });
  window.htmx.process(list());
  tell();
  document.dispatchEvent(new CustomEvent('breakpoints:listed'));
  if (!list().dataset.turn) return;
  turn = Number(list().dataset.turn);
  later(BETWEEN_TURNS);
}

/** Say on the tab how many there are. */
function tell() {
  const count = document.querySelector('[data-count="breakpoints"]');
  if (count) count.textContent = list().dataset.total;
}

function later(wait) {
  clearTimeout(timer);
  timer = setTimeout(load, wait);
}

/** What was said of the moment before does not hold of this one. */
function moved() {
  for (const line of document.querySelectorAll('#breakpoint-list .bp.is-hit')) {
    line.classList.remove('is-hit');
    line.removeAttribute('aria-current');
    const hits = line.querySelector('.bp-hits');
    hits.textContent = hits.dataset.hits;
  }
  for (const link of document.querySelectorAll('a[data-breakpoint-form]')) {
    // Opened in another tab, too, a new breakpoint is about what is selected now.
    if (link.pathname.endsWith('/new/')) link.setAttribute('href', `${link.pathname}?${query()}`);
  }
  later(REST);
}

function grown() {
  headTimer ||= setTimeout(() => {
    headTimer = 0;
    turn++;
    later(0);
  }, BETWEEN_HEADS);
}

async function open(link) {
  const url = new URL(link.href);
  const dialog = document.getElementById('breakpoint-dialog');
  if (!dialog) return;
  try {
    const response = await fetch(`${url.pathname}?${query()}`, { headers: { 'HX-Request': 'true' } });
    if (!response.ok) {
      toast(problemIn(response), { meaning: 'error' });
      return;
    }
    const form = document.getElementById('breakpoint-form');
    form.replaceChildren(...new DOMParser().parseFromString(await response.text(), 'text/html').body.childNodes);
    window.htmx.process(form);
    startQueryFields(form);
  } catch {
    toast('No connection to the server. What you see is unchanged.', { meaning: 'error' });
    return;
  }
  if (!dialog.open) dialog.showModal();
  const field = document.getElementById('breakpoint-query');
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

function onClick(link, ev) {
  if (ev.defaultPrevented || ev.button || ev.metaKey || ev.ctrlKey || ev.shiftKey) return;
  ev.preventDefault();
  open(link);
}

/** Wire the list and the form. */
export function startBreakpoints() {
  if (!list()) return;
  on('click', 'a[data-breakpoint-form]', onClick);
  document.addEventListener('cursor:moved', moved);
  document.addEventListener('run:head', () => here().live && grown());
  document.addEventListener('breakpoints:changed', () => {
    document.getElementById('breakpoint-dialog')?.close();
    later(0);
  });
  load();
}
