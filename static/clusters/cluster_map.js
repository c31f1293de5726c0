/* The map of a cluster: draws all nodes and their pods, names what the pointer or the keyboard is at, selects a node or pod by the address.
   Another script lights nodes by the event fit:lit ({nodes: [{node, fits, score, reason}], pod}) on the document, and fit:clear ends it;
   fit:dragged does so for the pod that is dragged (null: no answer yet), until map:dragging ends it; the map says map:selected
   ({node, pod}) and map:drawn. Where a draft changed, map:stale has it read its data again. The table of the same panel is its text. */
import { countsOf, fitOf, unpacked } from './map/data.js';
import { ended, finish, follow as followGesture, gestureAt, isEditor, listenForDrops } from './map/gestures.js';
import { step } from './map/layout.js';
import { fillTable, sayFit } from './map/said.js';
import { Stage } from './map/stage.js';
import { hideTip, showTip } from './map/tip.js';
import { STEP } from './map/view.js';
import { SELECTING } from './selecting.js';
import { on } from '../common/on.js';

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'];
// A pointer that moves less than this between down and up clicks.
const DRAG = 4;

const pane = () => document.getElementById('cluster-map');

let stage = null;
let lit = null;
// While a pod is dragged: what is known of where it fits, null until there is an answer.
let dragged;
let drag = null;
let reading = null;

/* ---------- data ---------- */

async function read(query) {
  const url = new URL(pane().dataset.url, location.href);
  if (query) url.searchParams.set(query, '1');
  const answer = await fetch(url, { headers: { Accept: 'application/json' } });
  if (!answer.ok) throw new Error(`the map's data: ${answer.status}`);
  return answer.json();
}

/* The names of pods are most of what there is to read, so they come when they are asked for. */
function readNames() {
  reading ??= read('names').then(({ pods }) => {
    stage.names = pods;
    stage.drawMarks();
    return pods;
  });
  return reading;
}

/* ---------- pointer ---------- */

const tipOf = ({ place, tile }, near) =>
  showTip({ data: stage.data, fit: stage.fit, names: stage.names, place, tile }, near);

function onMove(ev) {
  const start = performance.now();
  const point = stage.pointOf(ev);
  if (!drag) {
    const found = stage.hover(point);
    if (found.tile >= 0) readNames();
    if (found.place < 0) hideTip();
    else tipOf(found, ev);
  } else if (drag.isMoved || Math.hypot(point.x - drag.x, point.y - drag.y) >= DRAG) {
    hideTip();
    if (drag.sort === 'pan') stage.pan(point.x - drag.x, point.y - drag.y);
    else followGesture(stage, drag, ev);
    drag = { ...drag, ...point, isMoved: true };
  }
  performance.measure('cluster-map-pointer', { start });
  performance.clearMeasures('cluster-map-pointer');
}

function onLeave() {
  hideTip();
  stage.hover(null);
}

function onDown(ev) {
  if (ev.button !== 0) return;
  drag = { ...gestureAt(stage, ev), ...stage.pointOf(ev), isMoved: false };
  if (drag.sort === 'pod') readNames();
  // A pointer that a script made cannot be captured.
  if (ev.isTrusted) pane().setPointerCapture(ev.pointerId);
}

async function onUp(ev) {
  const done = drag;
  drag = null;
  if (done?.isMoved && done.sort !== 'pan') await finish(stage, done, ev, readNames);
  if (done?.isMoved ?? true) return;
  const { place, tile } = stage.at(stage.pointOf(ev));
  if (place < 0) return;
  stage.focused = place;
  if (isEditor()) {
    const isMore = ev.ctrlKey || ev.metaKey || ev.shiftKey;
    pickNodes(isMore ? [stage.data.nodes[place]] : [], isMore);
    if (isMore) return;
  }
  const names = tile >= 0 ? await readNames() : null;
  select(names ? { pod: names[tile] } : { node: stage.data.nodes[place] });
}

const pickNodes = (nodes, isToggled = false) =>
  document.dispatchEvent(new CustomEvent('map:pick', { detail: { nodes, isToggled } }));

function takeBack() {
  if (!drag || drag.sort === 'pan') return false;
  drag = null;
  ended(stage);
  return true;
}

function onWheel(ev) {
  if (!ev.ctrlKey && !ev.metaKey) return;
  ev.preventDefault();
  hideTip();
  stage.zoom(Math.exp(-ev.deltaY / 250), stage.pointOf(ev));
}

/* ---------- selection ---------- */

/* Select a node, a pod or, beside the editor's map, another object (kind, ns, name), or with {} nothing: the address, the card
   beside the map and the frame follow. */
function select(chosen) {
  const url = new URL(location.href);
  for (const name of SELECTING) {
    if (chosen[name]) url.searchParams.set(name, chosen[name]);
    else url.searchParams.delete(name);
  }
  if (url.href !== location.href) history.pushState({ selected: true }, '', url);
  follow(chosen);
}

function follow(chosen) {
  const root = pane();
  Object.assign(root.dataset, { node: chosen.node ?? '', pod: chosen.pod ?? '' });
  const url = new URL(root.dataset.selected, location.href);
  for (const name of SELECTING) if (chosen[name]) url.searchParams.set(name, chosen[name]);
  window.htmx.ajax('GET', `${url.pathname}${url.search}`, { target: '#map-selected', swap: 'outerHTML' });
  stage?.drawMarks();
}

/* Several nodes are selected beside the one of the address. */
let picked = [];
function showPicked(nodes) {
  picked = nodes;
  stage?.pick(nodes);
}

/* Nodes that other people have open. */
let others = [];
function showOthers(nodes) {
  others = nodes;
  stage?.lookOf(nodes);
}

/* The card of a pod names its node, which the address does not. */
function readCard() {
  const card = document.getElementById('map-selected');
  if (!card || !stage) return;
  const { node, pod } = card.dataset;
  Object.assign(pane().dataset, { node, pod });
  if (pod && node) readNames();
  stage.drawMarks();
  document.dispatchEvent(new CustomEvent('map:selected', { detail: { node, pod } }));
}

function onZoom({ dataset: { mapZoom: way } }) {
  if (!stage?.scene) return;
  if (way === 'all') stage.showAll();
  else stage.zoom(way === 'in' ? STEP : 1 / STEP);
}

function onLink(link, ev) {
  if (!pane() || ev.ctrlKey || ev.metaKey || ev.shiftKey) return;
  ev.preventDefault();
  const { mapNode: node, mapPod: pod, mapObject } = link.dataset;
  select({ node, pod, ...Object.fromEntries(new URLSearchParams(mapObject)) });
}

/* ---------- keys ---------- */

function onKey(ev) {
  if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
  const { focused, data } = stage;
  if (ARROWS.includes(ev.key)) walk(ev.key);
  else if (ev.key === ' ' && focused >= 0 && isEditor()) pickNodes([data.nodes[focused]], true);
  else if ((ev.key === 'Enter' || ev.key === ' ') && focused >= 0) select({ node: data.nodes[focused] });
  else if (ev.key === 'Escape') {
    if (takeBack()) return;
    pickNodes([]);
    select({});
  } else if (ev.key === '+' || ev.key === '=') stage.zoom(STEP);
  else if (ev.key === '-') stage.zoom(1 / STEP);
  else if (ev.key === '0') stage.showAll();
  else return;
  ev.preventDefault();
  ev.stopPropagation();
}

/* Begins at the selected node, or comes to the first; Home and End lead to theirs from anywhere. */
function walk(arrow) {
  const { scene, data, focused } = stage;
  const from = focused >= 0 ? focused : (data.placeOf.get(pane().dataset.node) ?? -1);
  const first = from < 0 && arrow !== 'End';
  const place = scene.order[first ? 0 : step(scene.found, scene.positions[Math.max(0, from)], arrow)];
  stage.focused = place;
  stage.reveal(place);
  const { x, y, w } = stage.boxAt(place);
  const rect = pane().getBoundingClientRect();
  const near = { clientX: rect.left + (x + w) / scene.ratio, clientY: rect.top + y / scene.ratio };
  document.getElementById('map-said').textContent = tipOf({ place, tile: -1 }, near);
}

/* ---------- fit ---------- */

function light() {
  const detail = dragged === undefined ? lit : dragged;
  fillTable(detail);
  if (!pane()) sayFit(detail && countsOf(detail.nodes), detail?.pod ?? '');
  if (!stage) return;
  stage.fit = detail ? { ...fitOf(stage.data, detail.nodes), untried: detail.untried } : null;
  sayFit(stage.fit, detail?.pod ?? '');
  stage.arrange();
}

/* ---------- start ---------- */

let isListening = false;

function listen(root) {
  root.addEventListener('pointermove', onMove);
  root.addEventListener('pointerleave', onLeave);
  root.addEventListener('pointerdown', onDown);
  root.addEventListener('pointerup', onUp);
  root.addEventListener('pointercancel', () => takeBack() || (drag = null));
  if (isEditor()) listenForDrops(root, () => stage);
  root.addEventListener('wheel', onWheel, { passive: false });
  root.addEventListener('dblclick', (ev) => stage.zoom(STEP * STEP, stage.pointOf(ev)));
  root.addEventListener('keydown', onKey);
  root.addEventListener('focus', () => stage.drawMarks());
  root.addEventListener('blur', () => {
    hideTip();
    stage.drawMarks();
  });
  listenOnce();
  new ResizeObserver(() => stage.isOf() || stage.arrange()).observe(root);
}

function listenOnce() {
  if (isListening) return;
  isListening = true;
  document.addEventListener('look', () => stage.arrange());
  document.addEventListener('htmx:afterSwap', readCard);
  window.addEventListener('popstate', () => {
    const { searchParams } = new URL(location.href);
    follow(Object.fromEntries(searchParams));
  });
}

/* The draft changed: the same picture of what it holds now, as near as it was. */
async function readAgain() {
  const root = pane();
  if (!stage || stage.root !== root) {
    if (root) startIn(root);
    return;
  }
  let data = null;
  try {
    data = unpacked(await read(''));
  } catch {
    return;
  }
  reading = null;
  stage.take(data);
  light();
  readCard();
}

/* Draw the map of the page and keep it with theme, size and selection. */
function begin() {
  for (const name of ['fit:lit', 'fit:clear']) {
    document.addEventListener(name, (ev) => {
      lit = ev.detail;
      light();
    });
  }
  document.addEventListener('map:dragging', (ev) => {
    dragged = ev.detail ? null : undefined;
    light();
  });
  document.addEventListener('fit:dragged', (ev) => {
    dragged = ev.detail;
    light();
  });
  on('click', '[data-map-zoom]', onZoom);
  on('click', '[data-map-pod], [data-map-node], [data-map-object]', onLink);
  document.addEventListener('map:stale', readAgain);
  document.addEventListener('map:picked', (ev) => showPicked(ev.detail.nodes));
  document.addEventListener('people:nodes', (ev) => showOthers(ev.detail.nodes));
  document.addEventListener('map:select', (ev) => select(ev.detail));
  if (pane()) startIn(pane());
}

async function startIn(root) {
  let data = null;
  try {
    data = unpacked(await read(''));
  } catch {
    root.querySelector('.cmap-none').hidden = false;
    return;
  }
  await document.fonts.ready;
  stage = new Stage(root, data);
  stage.pick(picked);
  stage.lookOf(others);
  light();
  readCard();
  listen(root);
  document.documentElement.dataset.map = 'ready';
}

begin();
