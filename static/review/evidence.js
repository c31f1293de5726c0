/* The evidence in the middle of a review: parts of other pages, which move in their place; threads as numbers at what they
 * speak of; and the comment that is written below goes to the cell that is selected. */

import { isForPage } from '../common/keyboard.js';
import { arrowed, focusIn, nodeOf, startHints, thingOf } from '../debugger/cells.js';
import { startFills } from '../debugger/fills.js';
import { cellOf, keyOf, keyOfLink } from './things.js';
import { startTrying } from '../debugger/trying.js';
import { isPlainClick } from '../common/on.js';

/* Where a link in the evidence leads within it: the part that it fills, null for links that leave the page. */
export function within(link, inspector, part) {
  const path = new URL(link.href, location.href).pathname;
  if (inspector && link.closest('#inspector') && path === inspector) return '#inspector';
  return part && link.closest('#evidence-part') && link.matches('[data-move]') ? part : null;
}

const evidence = () => document.getElementById('evidence');
let inspectorPath = '';
let partOf = '';

/* What the evidence is fetched from stays known when the fetched part has taken the place of the element. */
function remember() {
  const inspector = document.querySelector('#evidence > #inspector[hx-get]');
  if (inspector) inspectorPath = new URL(inspector.getAttribute('hx-get'), location.href).pathname;
  partOf = document.getElementById('evidence-part')?.getAttribute('hx-select') ?? '';
}

function show(address, part) {
  if (part === '#inspector') {
    pin(address);
    return window.htmx.ajax('GET', address, { target: '#inspector', swap: 'outerHTML' });
  }
  return window.htmx.ajax('GET', address, { target: '#evidence-part', swap: 'innerHTML', select: part });
}

const composer = () => document.querySelector('[data-composer-form]');

function pinned(form, words) {
  const said = form.querySelector('[data-pinned]');
  said.dataset.all ??= said.textContent;
  said.textContent = words || said.dataset.all;
  form.dataset.on = words;
  nameKey();
}

/* The help says what C comments on as things stand; the inspector's own C would be the threads of its cycle. */
function nameKey() {
  const tab = document.querySelector('#inspector [data-composer][data-key]');
  if (tab) {
    for (const name of ['data-key', 'data-key-label', 'aria-keyshortcuts']) tab.removeAttribute(name);
    tab.title = 'All threads on this cycle';
  }
  const hint = document.querySelector('#inspector #cell-hint[data-first]');
  if (hint) {
    hint.removeAttribute('data-first');
    hint.textContent = 'Point at a cell for its reason; click it to comment on it.';
  }
  const form = composer();
  if (!form) return;
  const { cycle, field } = form.elements;
  const on = form.dataset.on || (cycle ? cycle.value && `cycle ${cycle.value}` : field.value || 'the finding');
  form.querySelector('textarea').dataset.keyLabel =
    `comment on ${on || 'a cycle'}, or on the cell or field with the focus`;
}

/* The hidden fields of the comment follow the cell that the inspector has selected. */
function pin(address) {
  const form = composer();
  if (!form?.elements.cycle) return;
  const query = new URL(address, location.href).searchParams;
  const { cycle } = form.elements;
  if (query.get('cycle')) cycle.value = query.get('cycle');
  cycle.required = true;
  for (const field of form.querySelectorAll('[data-pin]')) field.value = '';
  const cell = ['point', 'plugin', 'node'].map((name) => {
    form.elements[name].value = query.get(name) ?? '';
    return form.elements[name].value;
  });
  pinned(form, cell.filter(Boolean).join(', '));
}

/* The comment goes to a thing of the evidence: a queue move, a victim, an event, a pod's story. */
function pinThing(link) {
  const form = composer();
  if (!form?.elements.cycle) return false;
  const query = new URL(link.href, location.href).searchParams;
  const { cycle } = form.elements;
  cycle.value = query.get('cycle') ?? '';
  /* What may have happened before the first cycle is named by its moment. */
  cycle.required = !query.get('seq');
  for (const field of form.querySelectorAll('[data-pin]')) field.value = query.get(field.dataset.pin) ?? '';
  pinned(form, link.dataset.thing);
  form.querySelector('textarea').focus();
  return true;
}

/* A cell of the matrix is chosen: the line below it says what was recorded there, and the comment goes to it. */
async function chooseCell(cell) {
  const thing = thingOf(cell);
  const link = cell.closest('tr').querySelector('a[href]');
  if (!thing || !link) return;
  const url = new URL(link.href, location.href);
  for (const name of ['plugin', 'node']) url.searchParams.set(name, thing[name]);
  url.searchParams.delete('open');
  await show(url.pathname + url.search, '#inspector');
  const form = composer();
  if (form?.elements.cycle) form.elements.kind.value = thing.kind;
  const row = document.querySelector(`#inspector tr[data-node="${CSS.escape(nodeOf(cell))}"]`);
  if (row && !document.activeElement.matches('textarea')) focusIn(cellOf(row, thing.plugin, thing.kind));
}

/* The comment goes to a field of the diff that is shown; false for one of another finding. */
function pinField(link) {
  const form = composer();
  const query = new URL(link.href, location.href).searchParams;
  if (!form?.elements.finding || form.elements.finding.value !== query.get('finding')) return false;
  form.elements.field.value = query.get('field') ?? '';
  pinned(form, query.get('field'));
  form.querySelector('textarea').focus();
  return true;
}

/* The place in the evidence that a thread is about, and whether the thread's number goes into that place or after it. */
function spotOf(middle, thread) {
  const { kind, node, cycle, plugin, finding, field } = thread.dataset;
  if (kind === 'field') {
    const isShown = middle.dataset.finding === finding;
    const row = middle.querySelector(`tr[data-field="${CSS.escape((isShown && field) || finding)}"]`);
    return row && { into: row.firstElementChild };
  }
  const shown = document.getElementById('inspector')?.dataset.shown;
  if (['cycle', 'verdict', 'score'].includes(kind)) {
    if (!node || (shown && shown !== cycle)) return null;
    const row = middle.querySelector(`tr[data-node="${CSS.escape(node)}"]`);
    return row && { into: cellOf(row, plugin, kind) };
  }
  const key = keyOf(thread.dataset);
  const link = [...middle.querySelectorAll('a[data-thing]')].find((one) => keyOfLink(one) === key);
  return link && { behind: link };
}

/* A number at each thing in the evidence that a thread speaks of, the same as at the thread; the chosen one comes into view. */
function anchor() {
  const middle = evidence();
  if (!middle) return;
  for (const old of middle.querySelectorAll('.rv-anchor')) old.remove();
  for (const thread of document.querySelectorAll('#review-threads .rv-anchored')) {
    const spot = spotOf(middle, thread);
    if (!spot) continue;
    const link = document.createElement('a');
    link.className = spot.behind ? 'rv-n rv-anchor is-inline' : 'rv-n rv-anchor';
    link.href = `#${thread.querySelector('article').id}`;
    link.textContent = thread.dataset.anchor;
    link.setAttribute('aria-label', `Thread ${thread.dataset.anchor} speaks of this`);
    if (spot.behind) spot.behind.after(link);
    else spot.into.append(link);
    if (link.href.endsWith(`#thread-${middle.dataset.threadShown}`)) reveal(link);
  }
}

let revealed = '';
/* Once for each thread that is opened: the reader may scroll on. */
function reveal(link) {
  if (revealed === link.href) return;
  revealed = link.href;
  link.scrollIntoView({ block: 'nearest' });
}

document.addEventListener('click', (ev) => {
  const cell = ev.target.closest?.('#evidence [data-matrix] tbody td');
  if (cell && !ev.target.closest('a')) chooseCell(cell);
  const link = ev.target.closest?.('#evidence a[href]');
  if (!link || !isPlainClick(ev)) return;
  if ((link.matches('[data-thing]') && pinThing(link)) || (link.matches('[data-field-pin]') && pinField(link)))
    return ev.preventDefault();
  const part = within(link, inspectorPath, partOf);
  if (!part || link.hasAttribute('hx-get')) return;
  ev.preventDefault();
  show(link.getAttribute('href'), part);
});
/* A move of somebody whom the reader follows: the middle shows what they chose. */
document.addEventListener('place:go', (ev) => {
  const url = new URL(ev.detail.address);
  if (url.pathname !== location.pathname) return;
  ev.preventDefault();
  const address = url.pathname + url.search;
  window.htmx
    .ajax('GET', address, { target: '#evidence', swap: 'outerHTML' })
    .then(() => history.replaceState(history.state, '', address));
});
document.addEventListener('htmx:afterSettle', () => {
  remember();
  nameKey();
  if (!evidence()?.dataset.threadShown) revealed = '';
  anchor();
});
document.addEventListener('keydown', (ev) => {
  const cell = ev.target.closest?.('#evidence [data-matrix] tbody td');
  if (ev.key !== 'Enter' || !cell) return arrowed(ev);
  ev.preventDefault();
  chooseCell(cell);
});
document.addEventListener('keydown', (ev) => {
  if (ev.key !== 'c' || !isForPage(ev)) return;
  const field = document.querySelector('[data-composer-form] textarea');
  if (!field) return;
  ev.preventDefault();
  field.focus();
});

remember();
nameKey();
startHints();
startFills();
startTrying();
