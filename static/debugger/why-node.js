/* Nodes of one cycle beside each other: fields choose them, sliders move weights, and totals and lead follow in place. Nothing is run. */
import { lettersAreOff } from '../common/keyboard.js';
import { amend, format, go } from './cursor.js';
import { startStrip } from './strip.js';
import { startRequests, weightsChanged } from './why-node/requests.js';
import { bestOf, signed, weightsText } from './why-node/weights.js';
import { on } from '../common/on.js';

/** What the server gave for the nodes that are shown, and the weights as they are moved. */
let trial = null;
/** Points that one plugin gives a node at most, before its weight. */
const MOST_OF_A_PLUGIN = 100;
let weights = [];

const table = () => document.getElementById('rivals-table');

function read() {
  const data = document.getElementById('trial');
  trial = data ? JSON.parse(data.textContent) : null;
  weights = trial ? [...trial.weights] : [];
}

/** Draw one plugin's line again; return its points by column. */
function drawLine(line, weight, longest) {
  for (const place of line.querySelectorAll('[data-weight]')) place.textContent = weight;
  const points = new Map();
  for (const cell of line.querySelectorAll('[data-points]')) {
    points.set(cell.dataset.points, Number(cell.dataset.norm) * weight);
    cell.textContent = format(points.get(cell.dataset.points));
  }
  const lead = points.has('0') && points.has('1') ? points.get('0') - points.get('1') : null;
  const text = line.querySelector('[data-lead]');
  if (text && lead !== null) {
    text.textContent = signed(lead, format);
    const look = lead > 0 ? 'up' : lead < 0 ? 'dn' : 'zero';
    text.className = `tn ${look}`;
    const bar = line.querySelector('[data-lead-bar]');
    const width = Math.min((50 * Math.abs(lead)) / longest, 50);
    bar.setAttribute('class', look);
    bar.setAttribute('width', `${width}%`);
    bar.setAttribute('x', `${lead < 0 ? 50 - width : 50}%`);
  }
  return points;
}

function draw() {
  const lines = [...table().querySelectorAll('[data-line]')];
  const norms = lines.map((line) =>
    ['0', '1'].map((column) => Number(line.querySelector(`[data-points="${column}"]`)?.dataset.norm ?? Number.NaN)),
  );
  const longest = Math.max(1, ...norms.map(([a, b], i) => Math.abs(a - b) * weights[i] || 0));
  const totals = new Map();
  lines.forEach((line, i) => {
    for (const [column, points] of drawLine(line, weights[i], longest))
      totals.set(column, (totals.get(column) ?? 0) + points);
  });
  const best = document.querySelector('[data-best]');
  if (best) best.textContent = format(MOST_OF_A_PLUGIN * weights.reduce((sum, weight) => sum + weight, 0));
  for (const place of document.querySelectorAll('[data-total]'))
    place.textContent = format(totals.get(place.dataset.total));
  const sum = document.querySelector('[data-lead-total]');
  if (sum && totals.has('0') && totals.has('1')) sum.textContent = signed(totals.get('0') - totals.get('1'), format);
  tell();
}

/** Say who would win with the moved weights. */
function tell() {
  const isTried = weights.some((weight, i) => weight !== trial.weights[i]);
  document.querySelector('[data-untried]').hidden = isTried;
  document.querySelector('[data-tried]').hidden = !isTried;
  const form = document.querySelector('[data-tried-run-on]');
  if (form) {
    form.hidden = !isTried;
    form.elements.weights.value = weightsText(trial.plugins, trial.weights, weights);
  }
  if (!isTried) return;
  const { node, ties, lead } = bestOf(trial.nodes, weights);
  const who = ties > 1 ? `A draw of ${format(ties)} nodes, the first by name ${node}` : `${node} would win`;
  const by = ties > 1 || lead === null ? '' : ` by ${format(lead)}`;
  document.querySelector('[data-tried-words]').textContent = `${who}${by}.`;
}

/** Put the moved weights into the address once the hand rests, and have requests that are tried be tried with them. */
let resting = 0;
function note() {
  clearTimeout(resting);
  resting = setTimeout(() => {
    const text = weightsText(trial.plugins, trial.weights, weights);
    amend({ weights: text });
    weightsChanged(text);
  }, 200);
}

function placeSlides() {
  for (const slide of document.querySelectorAll('[data-slide]')) slide.value = weights[slide.dataset.slide];
}

function undo() {
  weights = [...trial.weights];
  placeSlides();
  draw();
  note();
}

function onInput(ev) {
  const { slide } = ev.target.dataset;
  if (slide === undefined || !trial) return;
  weights[Number(slide)] = Number(ev.target.value);
  draw();
  note();
}

/** Take over what was moved before this script had started, or what the browser kept over a reload. */
function catchUp() {
  const slides = [...document.querySelectorAll('[data-slide]')];
  if (!trial || slides.every((slide) => Number(slide.value) === weights[slide.dataset.slide])) return;
  for (const slide of slides) weights[slide.dataset.slide] = Number(slide.value);
  draw();
}

/** The table was replaced, with what an answer worker found: moved weights stay moved. A slider that is held is not taken away. */
let isHeld = false;
function onSwap(ev) {
  if (ev.detail.target?.id !== 'wn-answer' || !isHeld) return;
  ev.detail.shouldSwap = false;
  const { requestConfig } = ev.detail;
  document.addEventListener(
    'pointerup',
    () => window.htmx.ajax('GET', requestConfig.path, { target: '#wn-answer', swap: 'outerHTML' }),
    { once: true },
  );
}

function onSettle(ev) {
  if (!trial || !document.getElementById('wn-answer')?.contains(ev.target)) return;
  placeSlides();
  draw();
}

/** Compare what the fields name: a chosen option at once, typed names by Enter. */
function compare(form) {
  const url = new URL(location.pathname, location.href);
  const nodes = [...form.querySelectorAll('input[list]')].map((field) => field.value.trim()).filter(Boolean);
  for (const field of form.querySelectorAll('input[type="hidden"]'))
    if (field.value) url.searchParams.set(field.name, field.value);
  url.searchParams.set('nodes', [...new Set(nodes)].join());
  go(url.href);
}

document.addEventListener('input', onInput);
on('change', '#rivals input[list]', (field) => compare(field.form));
document.addEventListener('submit', (ev) => {
  if (ev.target.id === 'requests') ev.preventDefault();
  if (ev.target.id !== 'rivals') return;
  ev.preventDefault();
  compare(ev.target);
});
on('click', '[data-undo]', undo);
on('click', '#rivals input[list]', (field) => field.select());
document.addEventListener('keydown', (ev) => {
  // Keys with a letter are off while a field has the focus; a slider takes no text.
  const isPlain = !ev.ctrlKey && !ev.metaKey && !ev.altKey;
  if (isPlain && ev.key.toLowerCase() === 'u' && ev.target.matches('[data-slide]') && !lettersAreOff()) undo();
});
document.addEventListener('pointerdown', (ev) => {
  isHeld = ev.target.matches('[data-slide]');
});
document.addEventListener('pointerup', () => {
  isHeld = false;
});
document.addEventListener('htmx:beforeSwap', onSwap);
document.addEventListener('htmx:afterSettle', onSettle);
document.addEventListener('cursor:moved', () => {
  read();
  catchUp();
});

startStrip();
startRequests();
read();
catchUp();
document.documentElement.dataset.debugger = 'ready';
