/* The cluster map as squares. Its data come inside of the page, so it is painted together with the other panes; colours come from
   the tokens, so that both themes draw from one source; the table of the same pane is its text. */
import { go, urlFor } from './cursor.js';
import { linesOf, unpacked } from './map/data.js';
import { sized, tones } from '../common/canvas/paint.js';
import { Tip, words } from '../common/canvas/tip.js';
import { drawSquares } from './map/squares.js';

/* Drawn aside and put in place at once: a font that is set on a canvas of the page has the whole page's styles worked out first. Both
   are kept in memory that the script writes to, for most of the picture is made there. */
const aside = new OffscreenCanvas(1, 1);
const IN_MEMORY = { willReadFrequently: true, alpha: false };

// Names by version: the same for all cursors with the same nodes in the same order.
const names = new Map();
const MOST_NAMES = 12;
const tip = new Tip('map-tip');

let data = null;
let spots = null;
let tokens = null;
// As the browser last laid it out: asking again while the panes are being painted would lay all of them out then.
let namesHere = [];
let shape = { of: null, width: 0, height: 0 };

const root = () => document.getElementById('map');

/** Return the map's data that the page carries, null where it has none: cards or a table instead, or sizes still being read. */
export function dataOfPage() {
  const carrier = document.getElementById('map-data');
  return carrier ? JSON.parse(carrier.textContent) : null;
}

/** Paint the map from its data (panels/cluster_map/picture.py), at once; null clears it away. What it takes is the measure "map". */
export function paintMap(found) {
  const start = performance.now();
  data = found && unpacked(found);
  tip.hide();
  draw();
  if (!data) return;
  performance.measure('map', { start });
  performance.clearMeasures('map');
  rememberNames(data);
  document.dispatchEvent(new CustomEvent('map:ready'));
}

function measure() {
  const { width, height } = root().getBoundingClientRect();
  shape = { of: root(), width, height };
}

function draw() {
  const canvas = root()?.querySelector('canvas');
  spots = null;
  if (!data || !canvas) return;
  if (shape.of !== root()) measure();
  const { width, height } = shape;
  if (!width || !height) return;
  const ratio = devicePixelRatio || 1;
  tokens ??= tones();
  sized(aside, Math.round(width * ratio), Math.round(height * ratio));
  const c = aside.getContext('2d', IN_MEMORY);
  c.save();
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  spots = drawSquares({ c, ratio, w: width, h: height, t: tokens, data });
  c.restore();
  sized(canvas, aside.width, aside.height);
  canvas.getContext('2d', IN_MEMORY).drawImage(aside, 0, 0);
  canvas.setAttribute('aria-label', document.getElementById('map-words').textContent);
  // What is painted, to check whether all panes are about the same moment.
  const { seq, cycle: shown, pod, node } = data;
  Object.assign(root().dataset, { seq, shown, pod, node });
}

/** Return a promise of the names by place, fetched once per version. */
function namesOf(version) {
  if (!names.has(version)) {
    names.set(version, fetchNames(version));
    if (names.size > MOST_NAMES) names.delete(names.keys().next().value);
  }
  return names.get(version);
}

async function fetchNames(version) {
  const { search } = new URL(urlFor({ names: 1 }), location.href);
  let answer = null;
  try {
    answer = await fetch(`${root().dataset.url}${search}`);
  } catch {
    // Without a connection there are no names; the next map asks again.
  }
  const found = answer?.ok ? await answer.json() : null;
  if (found?.version === version) return found.names;
  names.delete(version);
  return [];
}

/** Return the box of a node's square in the window, null where the map shows none. */
function boxOf(node) {
  const place = spots ? namesHere.indexOf(node) : -1;
  const canvas = place >= 0 && root()?.querySelector('canvas');
  if (!canvas) return null;
  const [{ x, y }, { left, top }] = [spots.box(place), canvas.getBoundingClientRect()];
  return new DOMRect(left + x, top + y, spots.size, spots.size);
}

async function rememberNames(shown) {
  const all = await namesOf(shown.version);
  if (data === shown) namesHere = all;
}

/* Sizes of large inputs are read beside the page; the answer comes when they are there, and the page asks for its panes again. */
async function waitForSizes() {
  const waiting = root();
  if (!waiting || !('waits' in waiting.dataset) || waiting.dataset.waits === 'asked') return;
  waiting.dataset.waits = 'asked';
  const answer = await fetch(`${waiting.dataset.url}${new URL(urlFor({ names: 1 }), location.href).search}`).catch(
    () => null,
  );
  // The map that is painted next asks again.
  if (answer?.ok) document.dispatchEvent(new CustomEvent('map:ready'));
  else waiting.dataset.waits = '';
}

/* ---------- pointer ---------- */

/** Return the place of the node below the pointer, -1 where there is none. */
function at(ev) {
  const rect = ev.target.getBoundingClientRect();
  return spots ? spots.at(ev.clientX - rect.left, ev.clientY - rect.top) : -1;
}

async function showTip(ev) {
  const place = at(ev);
  ev.target.classList.toggle('is-over', place >= 0);
  ev.target.dataset.over = '';
  if (place < 0) return tip.hide();
  const shown = data;
  const known = await namesOf(shown.version);
  if (shown !== data) return undefined;
  const name = known[place] ?? '';
  ev.target.dataset.over = name;
  return tip.show(ev, [words(name, '', 'b'), ...linesOf(shown, place).map((text) => words(text))]);
}

async function select(ev) {
  const place = at(ev);
  const known = place >= 0 && (await namesOf(data.version));
  if (known?.[place]) go(urlFor({ node: known[place], plugin: null, page: null, open: null }));
}

const isMap = (ev) => ev.target instanceof HTMLCanvasElement && ev.target.closest('#map');

/** Paint the map of the page, and keep it with cursor, theme and size. */
export function startMap() {
  let observed = null;
  const sizes = new ResizeObserver(() => {
    if (!root()) return;
    measure();
    draw();
  });
  const follow = () => {
    paintMap(dataOfPage());
    document.querySelector('.map-table .is-on')?.scrollIntoView({ block: 'nearest' });
    if (root() !== observed) {
      sizes.disconnect();
      observed = root();
      if (observed) sizes.observe(observed);
    }
    waitForSizes();
  };
  document.addEventListener('cursor:moved', (ev) => {
    if (ev.detail.target !== 'inspector') follow();
  });
  document.addEventListener('look', () => {
    tokens = null;
    draw();
  });
  document.addEventListener('pointermove', (ev) => {
    if (isMap(ev)) showTip(ev);
    else tip.hide();
  });
  document.addEventListener('click', (ev) => {
    if (isMap(ev)) select(ev);
  });
  document.addEventListener('spot:ask', (ev) => (ev.detail.box = boxOf(ev.detail.node)));
  document.fonts.ready.then(follow);
}
