/* Pointing: a node, or a cell of the matrix, is shown to the others for some seconds, on whatever of their page shows it. */
import { toast } from '../common/toast.js';
import { avatar, named } from './faces.js';
import { say } from './feed.js';
import { addressOf, me, placeHere } from './here.js';
import { isSame, placeWords } from './people.js';
import { on } from '../common/on.js';

const SHOWN_MS = 6000;
const AROUND = 3;
const MATRIX = '[data-matrix] tbody tr[data-node]';

let under = { x: -1, y: -1 };
/* What is shown by person: {box, until, spot}. */
const shown = new Map();
let isDrawing = false;

const kindOf = (head) => (head?.matches('.fc') ? 'filter' : head?.matches('.sc') ? 'score' : '');
const headsOf = (table) => [...(table?.tHead?.rows[1]?.cells ?? [])];

/* ---------- what the reader points at ---------- */

/** Return the node, and in the matrix the cell, that an element shows: {node, plugin, column}; null where it shows none. */
function spotOf(target) {
  const cell = target?.closest?.(`${MATRIX} > *`);
  if (cell) {
    const head = headsOf(cell.closest('table'))[cell.cellIndex];
    const { node } = cell.parentElement.dataset;
    return { node, plugin: head?.dataset.plugin ?? '', column: kindOf(head) };
  }
  const node =
    target instanceof HTMLCanvasElement ? target.dataset.over : target?.closest?.('[data-node]')?.dataset.node;
  return node ? { node, plugin: '', column: '' } : null;
}

function selected() {
  const place = placeHere();
  const values = new URLSearchParams(place?.query ?? '');
  const node = values.get('node') ?? document.getElementById('main')?.dataset.node;
  return node ? { node, plugin: values.get('plugin') ?? '', column: '' } : null;
}

function point() {
  const bar = document.querySelector('#people details');
  const hovered = bar.open ? null : spotOf(document.elementFromPoint(under.x, under.y));
  bar.open = false;
  const spot = hovered ?? spotOf(document.activeElement) ?? selected();
  if (!spot) toast('Hold the pointer over a node or a cell, or select one, and point again', { meaning: 'cursor' });
  else say({ type: 'point', ...spot });
}

/* ---------- what others point at ---------- */

const isSeen = (node) => Boolean(node?.getClientRects().length);

function cellOf(row, { plugin, column }) {
  const heads = headsOf(row.closest('table'));
  const isMeant = (head) => head.dataset.plugin === plugin && (!column || kindOf(head) === column);
  return (plugin && row.cells[heads.findIndex(isMeant)]) || row.cells[0];
}

/** Return the box of what shows the spot on this page, null where nothing does. */
function boxOf(spot) {
  const name = CSS.escape(spot.node);
  const row = [...document.querySelectorAll(`[data-matrix] tbody tr[data-node="${name}"]`)].find(isSeen);
  if (row) return cellOf(row, spot).getBoundingClientRect();
  const asked = new CustomEvent('spot:ask', { detail: { node: spot.node, box: null } });
  document.dispatchEvent(asked);
  if (asked.detail.box) return asked.detail.box;
  const others = document.querySelectorAll(`[data-node="${name}"]:not(main, section, #map)`);
  return [...others].find(isSeen)?.getBoundingClientRect() ?? null;
}

function ringOf(person) {
  const ring = document.createElement('div');
  ring.className = `pointed tone-${person.tone}`;
  const tag = document.createElement('span');
  tag.className = 'pointed-by';
  tag.append(avatar(person, 'avatar-sm'), person.id === me() ? 'You' : named(person.name));
  const place = placeHere();
  if (person.id !== me() && !isSame(person, place)) tag.append(`, at ${placeWords(person)}`);
  ring.append(tag);
  return ring;
}

/* The page may scroll or be painted again below it. */
function draw() {
  for (const [id, one] of shown) {
    const box = performance.now() < one.until ? boxOf(one.spot) : null;
    if (box) {
      one.ring.hidden = false;
      one.ring.style.transform = `translate(${box.left - AROUND}px, ${box.top - AROUND}px)`;
      one.ring.style.width = `${box.width + 2 * AROUND}px`;
      one.ring.style.height = `${box.height + 2 * AROUND}px`;
      one.ring.classList.toggle('is-low', box.top < 40);
    } else if (performance.now() < one.until) one.ring.hidden = true;
    else {
      one.ring.remove();
      shown.delete(id);
    }
  }
  isDrawing = shown.size > 0;
  if (isDrawing) requestAnimationFrame(draw);
}

function inWords({ spot }) {
  return [spot.node, spot.plugin, spot.column === 'score' ? 'score' : ''].filter(Boolean).join(', ');
}

function show(person) {
  const words = `${person.name} points at ${inWords(person)}`;
  if (person.id !== me()) document.querySelector('#people [data-said]').textContent = words;
  if (!boxOf(person.spot)) {
    if (person.id === me()) return;
    const address = addressOf(person);
    const action = address && { label: 'Go there', run: () => goTo(address) };
    toast(words, { meaning: 'cursor', action });
    return;
  }
  shown.get(person.id)?.ring.remove();
  const ring = ringOf(person);
  document.body.append(ring);
  shown.set(person.id, { ring, spot: person.spot, until: performance.now() + SHOWN_MS });
  if (!isDrawing) draw();
}

function goTo(address) {
  document.dispatchEvent(new CustomEvent('place:own'));
  const going = new CustomEvent('place:go', { detail: { address }, cancelable: true });
  if (document.dispatchEvent(going)) location.assign(address);
}

/** Begin: listen for the key and the button, and show what the others point at. */
export function startPointing() {
  document.addEventListener('pointermove', ({ clientX, clientY }) => (under = { x: clientX, y: clientY }), {
    passive: true,
  });
  on('click', '[data-point-here]', () => point());
  document.addEventListener('people:changed', (ev) => {
    for (const person of ev.detail.pointing) show(person);
  });
  document.addEventListener('feed:refused', (ev) => toast(ev.detail.why, { meaning: 'error' }));
}
