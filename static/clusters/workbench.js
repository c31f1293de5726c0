/* The editor of a draft: the tree follows what is selected on the map, and arrows walk over its lines. People who change the draft,
   tree, map and the selected object follow; what somebody is typing stays. */

import { SELECTING, paramsOf } from './selecting.js';
import { on } from '../common/on.js';

const selectionOf = (search) => {
  const asked = new URLSearchParams(search);
  return SELECTING.map((name) => asked.get(name) ?? '').join('\n');
};

function mark() {
  const here = selectionOf(location.search);
  for (const link of document.querySelectorAll('.wb-leaf > a')) {
    if (selectionOf(link.search) === here) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

function walk(ev) {
  if (!['ArrowDown', 'ArrowUp'].includes(ev.key) || ev.ctrlKey || ev.metaKey || ev.altKey) return;
  const tree = document.getElementById('wb-tree');
  const isField = ev.target.id === 'wb-q';
  if (!isField && !tree.contains(ev.target)) return;
  const links = [...tree.querySelectorAll('.wb-line > a')];
  const at = links.indexOf(ev.target);
  const next = isField ? links[0] : links[at + (ev.key === 'ArrowDown' ? 1 : -1)];
  ev.preventDefault();
  (next ?? (at === 0 ? document.getElementById('wb-q') : null))?.focus();
}

/* The address follows the tree, which is asked for by it again when the draft changes. */
function followTree() {
  const { address } = document.getElementById('wb-tree').dataset;
  if (address) history.replaceState(history.state, '', address);
}

/* A line that was pressed is another element once the tree was replaced. */
function keepFocus(ev) {
  if (ev.detail.target.id !== 'wb-tree') return;
  followTree();
  mark();
  const name = ev.detail.requestConfig?.elt?.title;
  if (!name || document.activeElement !== document.body) return;
  const lines = [...document.querySelectorAll('#wb-tree .wb-line > a[hx-get]')];
  lines.find((one) => one.title === name)?.focus();
}

/* ---------- the draft changed ---------- */

const main = document.querySelector('.wb-main');
const side = () => document.getElementById('map-selected');
// Each part asks by itself: requests of one element wait for each other, and a listener for the second does not hear of it.
const ask = (url, target, swap) => window.htmx.ajax('GET', url, { source: target, target, swap });

/* The address of a part: what is selected goes along, the rest is read from the page's own address. */
const sideUrl = () => {
  const url = new URL(main.dataset.side, location.href);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (SELECTING.includes(name)) url.searchParams.set(name, value);
  }
  return `${url.pathname}${url.search}`;
};
const treeUrl = () => {
  const asked = new URLSearchParams(location.search);
  const query = new URLSearchParams(['q', 'at', 'lines'].flatMap((n) => (asked.get(n) ? [[n, asked.get(n)]] : [])));
  return `${main.dataset.tree}?${query}`;
};

const seenIn = (root) => root.querySelector('[name="seen"]')?.value;

const isTyped = () => {
  const area = document.querySelector('[data-editor]');
  if (area && window.schedscopeEditor) return window.schedscopeEditor.getValue() !== area.value;
  return side().contains(document.activeElement) && !!document.activeElement.closest('[data-object-form]');
};

/* Of the same content the facts alone are new; what is being typed is not replaced: the form says when it is sent that somebody
   changed the object. */
let isRefreshing = false;
function keepSide(ev) {
  if (ev.detail.target.id !== 'map-selected' || !isRefreshing) return;
  isRefreshing = false;
  const next = new DOMParser().parseFromString(ev.detail.xhr.responseText, 'text/html');
  if (seenIn(next) !== seenIn(side()) && !isTyped()) return;
  ev.detail.shouldSwap = false;
  const [facts, now] = [next.querySelector('.wb-facts'), side().querySelector('.wb-facts')];
  if (!facts || !now) return;
  facts.open = now.open;
  now.replaceWith(facts);
}

let isFollowing = false;
let isStale = false;

async function followDraft() {
  isStale = true;
  if (isFollowing) return;
  isFollowing = true;
  // One after the other: the first has the server read the draft, the others find it read.
  while (isStale) {
    isStale = false;
    await ask(treeUrl(), '#wb-tree', 'outerHTML');
    await ask(main.dataset.panel, '#map-panel', 'morph:outerHTML');
    document.dispatchEvent(new CustomEvent('map:stale'));
    isRefreshing = true;
    ask(sideUrl(), '#map-selected', 'outerHTML');
  }
  isFollowing = false;
  document.dispatchEvent(new CustomEvent('draftfollowed'));
}

let timer = 0;
document.body.addEventListener('draftchanged', () => {
  clearTimeout(timer);
  timer = setTimeout(followDraft, 60);
});
document.addEventListener('htmx:beforeSwap', keepSide);

/* A morph leaves alone what scripts drew or filled in. */
Object.assign(window.Idiomorph.defaults.callbacks, {
  beforeAttributeUpdated: (name, node) =>
    !node.matches('canvas, #map-fit') && !(name === 'open' && node.matches('details')),
  beforeNodeMorphed: (node) => !(node instanceof Element && node.matches('#fit, #map-fit, #map-unbound')),
});

/* ---------- form or YAML ---------- */

on('click', '[data-wb-show]', (link, ev) => {
  if (ev.ctrlKey || ev.metaKey || ev.shiftKey) return;
  ev.preventDefault();
  history.replaceState(history.state, '', link.href);
  ask(sideUrl(), '#map-selected', 'outerHTML');
});

/* A new object of a kind: its form stands where the selected one did. */
on('click', '[data-wb-new]', (link, ev) => {
  if (ev.ctrlKey || ev.metaKey || ev.shiftKey) return;
  ev.preventDefault();
  link.closest('details').open = false;
  document.dispatchEvent(new CustomEvent('map:select', { detail: { new: link.dataset.wbNew } }));
});
function focusNew(part) {
  if (part.id !== 'map-selected' || !new URLSearchParams(location.search).get('new')) return;
  part.querySelector('[data-was], [name="text"]')?.focus();
}
document.addEventListener('htmx:afterSettle', (ev) => focusNew(ev.target));

/* An object got another name, or is new: it stays the selected one. */
document.body.addEventListener('objectmoved', (ev) => {
  const { kind, ns = '', name } = ev.detail;
  const url = new URL(location.href);
  for (const one of SELECTING) url.searchParams.delete(one);
  for (const [one, value] of Object.entries(paramsOf(kind, ns, name))) url.searchParams.set(one, value);
  history.replaceState(history.state, '', url);
  ask(sideUrl(), '#map-selected', 'outerHTML');
});

/* ---------- other people ---------- */

let shown = selectionOf(location.search);
let isLed = false;

/* Another object is selected here: others hear of it, and a reader who selects follows nobody any more. */
function tellPlace() {
  const now = selectionOf(location.search);
  if (now === shown) return;
  shown = now;
  if (!isLed) document.dispatchEvent(new CustomEvent('place:own'));
  isLed = false;
  document.dispatchEvent(new CustomEvent('place:moved'));
}

/* The followed person selected another object. What is being typed here stays. */
document.addEventListener('place:go', (ev) => {
  const to = new URL(ev.detail.address, location.href);
  if (to.pathname !== location.pathname) return;
  ev.preventDefault();
  if (isTyped()) {
    document.dispatchEvent(new CustomEvent('place:own'));
    return;
  }
  isLed = selectionOf(to.search) !== shown;
  if (isLed) document.dispatchEvent(new CustomEvent('map:select', { detail: Object.fromEntries(to.searchParams) }));
});

/* ---------- start ---------- */

followTree();
focusNew(side());
document.addEventListener('map:selected', () => {
  mark();
  tellPlace();
});
document.addEventListener('keydown', walk);
document.addEventListener('htmx:afterSwap', keepFocus);
