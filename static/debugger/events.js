/* The page of events: the list keeps its rows and its place while the cursor moves among them. */
import { again, go, here, isBusy, stage, stepUrl, urlFor, format } from './cursor.js';
import { connectionBack, connectionLost } from './connection.js';
import { startStrip } from './strip.js';

const ASK_AGAIN = 500;
const GROW_AGAIN = 2000;
const ROLES = ['is-cursor', 'is-cause', 'is-effect'];

const list = () => document.getElementById('event-list');
const rowOf = (number) => document.getElementById(`e${number}`);
const numbers = (text) => (text ? text.split(' ') : []);

/** The list of the answer that is about to be painted. */
let fresh = null;

/** Light the event at the cursor and its chain among the rows that are there. */
function light() {
  const { causes, effects } = document.getElementById('chain').dataset;
  for (const lit of list().querySelectorAll(ROLES.map((role) => `.${role}`).join())) {
    lit.classList.remove(...ROLES);
    lit.removeAttribute('aria-current');
  }
  for (const number of numbers(effects)) rowOf(number)?.classList.add('is-effect');
  for (const number of numbers(causes)) rowOf(number)?.classList.add('is-cause');
  const row = rowOf(here().seq);
  row?.classList.add('is-cursor');
  row?.setAttribute('aria-current', 'true');
}

/** Bring the event at the cursor into view, with what surrounds it; a folded cycle shows its head. */
function reveal() {
  const row = rowOf(here().seq);
  if (!row) return;
  const cycle = row.matches('.ev-cycle') ? row : row.closest('details:not([open])');
  const shown = cycle?.querySelector('summary') ?? row;
  const [box, frame] = [shown.getBoundingClientRect(), list().getBoundingClientRect()];
  const margin = 3 * box.height;
  if (box.top < frame.top + margin) list().scrollTop += box.top - frame.top - margin;
  else if (box.bottom > frame.bottom - margin) list().scrollTop += box.bottom - frame.bottom + margin;
}

/** Put the fresh rows in place of the others; what is in view stays where it is as far as both have it. */
function replaceRows() {
  const hadFocus = list().contains(document.activeElement);
  const top = list().getBoundingClientRect().top;
  const kept = [...list().querySelectorAll('[id]')]
    .map((row) => ({ id: row.id, at: row.getBoundingClientRect() }))
    .find(({ id, at }) => at.bottom > top && fresh.querySelector(`#${id}`));
  for (const { name, value } of fresh.attributes) list().setAttribute(name, value);
  list().toggleAttribute('data-extra', fresh.hasAttribute('data-extra'));
  list().replaceChildren(...fresh.childNodes);
  watchEnds();
  if (kept) {
    list().scrollTop += document.getElementById(kept.id).getBoundingClientRect().top - kept.at.top;
    reveal();
  } else {
    rowOf(here().seq)?.scrollIntoView({ block: 'center' });
  }
  if (hadFocus) list().focus({ preventScroll: true });
}

function moved() {
  askAgain();
  if (!fresh) return;
  if (isFirst) {
    isFirst = false;
    arrive();
    return;
  }
  const isSame = fresh.dataset.filter === list().dataset.filter && !list().hasAttribute('data-extra');
  if (isSame && rowOf(here().seq)) {
    light();
    reveal();
  } else {
    replaceRows();
  }
  fresh = null;
  news();
  showRange();
}

/** Show on the strip which range of events the list is narrowed to. */
function showRange() {
  const query = new URL(urlFor({}), location.href).searchParams;
  const [first, last] = [Number(query.get('from') ?? 0), Number(query.get('to') ?? 0)];
  const range = first || last ? { first, last: last || here().head } : null;
  if (JSON.stringify(range) !== JSON.stringify(scrubber.range)) scrubber.setRange(range);
}

/** Put the rows that an end of the list leads to in its place; what is in view stays where it is. */
async function grow(end) {
  observer.unobserve(end);
  const answer = await fetch(end.dataset.rows).catch(() => null);
  if (!end.isConnected) return;
  if (answer) connectionBack('request');
  else connectionLost('request');
  if (!answer?.ok) {
    // An end that is still in view asks again.
    setTimeout(() => end.isConnected && observer.observe(end), GROW_AGAIN);
    return;
  }
  const rows = document.createRange().createContextualFragment(await answer.text());
  const [height, top] = [list().scrollHeight, list().scrollTop];
  const isBefore = end.dataset.more === 'before';
  end.replaceWith(rows);
  if (isBefore) list().scrollTop = top + list().scrollHeight - height;
  light();
  watchEnds();
}

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) grow(target);
  },
  { rootMargin: '400px 0px' },
);

function watchEnds() {
  if (!list()) return;
  for (const end of list().querySelectorAll('[data-more]')) observer.observe(end);
}

/** Say how many events came since the rows were listed; nothing moves until the reader asks for them. */
function news() {
  if (!list()) return;
  const { head } = here();
  const count = head - Number(list().dataset.head);
  const link = document.getElementById('event-news');
  link.hidden = count <= 0;
  link.textContent = `${format(count)} new ${count === 1 ? 'event' : 'events'}`;
  link.href = urlFor({ seq: head });
}

/** A worker reads the events first: the page asks until they are there. */
function askAgain() {
  if (document.querySelector('[data-reading]')) setTimeout(again, ASK_AGAIN);
}

/** Show the list that the page came with, or that came when the events were read. */
function arrive() {
  showRange();
  watchEnds();
  rowOf(here().seq)?.scrollIntoView({ block: 'center' });
}

/** The run went on: a cursor at its old head gets its way forward. */
function grew() {
  news();
  if (!stepUrl() && here().seq < here().head && !isBusy()) again();
}

function onFilter(ev) {
  if (ev.target.id !== 'event-filter') return;
  ev.preventDefault();
  go(urlFor({ about: ev.target.elements.about.value.trim() }));
}

/** Arrows go from row to row, those of folded cycles left out. */
function onKey(ev) {
  if (ev.key === ' ' && ev.target.matches('a[role="switch"]')) {
    ev.preventDefault();
    ev.target.click();
  }
  if (!['ArrowDown', 'ArrowUp'].includes(ev.key) || ev.altKey || ev.ctrlKey || ev.metaKey) return;
  if (!ev.target.closest('#event-list')) return;
  const rows = [...list().querySelectorAll('.er, .ev-cycle')].filter((row) => row.checkVisibility());
  const from = rows.findIndex((row) => row.classList.contains('is-cursor'));
  const next = rows[from < 0 ? 0 : from + (ev.key === 'ArrowDown' ? 1 : -1)];
  ev.preventDefault();
  if (!next) return;
  document.dispatchEvent(new CustomEvent('cursor:seek'));
  go(next.querySelector('a').href, { replace: true });
}

const scrubber = startStrip({ ranging: true });
document.addEventListener('scrubber:range', (ev) => {
  ev.preventDefault();
  go(urlFor({ from: ev.detail.first + 1, to: ev.detail.last }));
});
document.addEventListener('cursor:answer', ({ detail }) => {
  fresh = detail.body.querySelector('#event-list');
});
document.addEventListener('cursor:moved', moved);
document.addEventListener('run:head', grew);
document.addEventListener('submit', onFilter);
document.addEventListener('search', (ev) => {
  // The cross of the field clears it.
  if (ev.target.id === 'about' && !ev.target.value) go(urlFor({ about: null }));
});
document.addEventListener('keydown', onKey);
let isFirst = !list();
arrive();
askAgain();
stage().dataset.events = 'ready';
document.documentElement.dataset.debugger = 'ready';
