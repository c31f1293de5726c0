/* The strip of a timeline's arrivals: an interval is drawn with the mouse or moved by its two handles, at edges of bars.
   The fields From and before hold it, and their form asks the server for the rest; so whatever the strip does can be
   typed as well. */
import { on } from '../common/on.js';

const WAIT_MS = 300;
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
const FIELDS = { from: 'arrivals-from', before: 'arrivals-before' };

let drawn = null;
let timer = 0;

const strip = () => document.querySelector('[data-arrivals-strip]');
const choose = () => document.querySelector('[data-arrivals-choose]');
const handle = (name) => document.querySelector(`[data-arrivals-handle="${name}"]`);
const bars = () => Number(strip().dataset.bars);

/* A time as a timeline has it; nothing at both ends of the strip. */
function timeAt(bar) {
  if (bar <= 0 || bar >= bars()) return '';
  return `${Number((bar * Number(strip().dataset.width)) / 1e6)}s`;
}

function barAt(ev) {
  const box = strip().getBoundingClientRect();
  return ((ev.clientX - box.left) / box.width) * bars();
}

const edges = () => ['from', 'before'].map((name) => Number(handle(name).getAttribute('aria-valuenow')));

/* Shows an interval before the server answers. */
function show([first, last]) {
  const whole = bars();
  const band = document.querySelector('[data-arrivals-band]');
  band.classList.toggle('is-none', first <= 0 && last >= whole);
  band.setAttribute('x', `${(100 * first) / whole}%`);
  band.setAttribute('width', `${(100 * (last - first)) / whole}%`);
  for (const [name, bar] of [
    ['from', first],
    ['before', last],
  ]) {
    const edge = handle(name);
    edge.setAttribute('x', `${(100 * bar) / whole}%`);
    edge.setAttribute('aria-valuenow', bar);
    edge.setAttribute('aria-valuetext', timeAt(bar) || (name === 'from' ? '0s' : 'the end'));
    document.getElementById(FIELDS[name]).value = timeAt(bar);
  }
}

function ask(wait = 0) {
  clearTimeout(timer);
  timer = setTimeout(() => choose()?.requestSubmit(), wait);
}

/* ---------------------------------------------------------------- mouse */

function begin(place, ev) {
  if (ev.button !== 0) return;
  ev.preventDefault();
  const name = ev.target.dataset?.arrivalsHandle;
  const now = edges();
  // A handle is pulled; anywhere else a new interval begins.
  const fixed = name ? now[name === 'from' ? 1 : 0] : null;
  drawn = { fixed, first: Math.floor(barAt(ev)), pointer: ev.pointerId };
  place.setPointerCapture(ev.pointerId);
  if (name) handle(name).focus();
  draw(ev);
}

function draw(ev) {
  if (!drawn || ev.pointerId !== drawn.pointer) return;
  const at = Math.min(Math.max(barAt(ev), 0), bars());
  if (drawn.fixed === null) {
    const other = Math.min(Math.floor(at), bars() - 1);
    const first = Math.min(Math.max(drawn.first, 0), bars() - 1);
    show([Math.min(first, other), Math.max(first, other) + 1]);
  } else {
    const edge = Math.round(at);
    const [low, high] = [Math.min(edge, drawn.fixed), Math.max(edge, drawn.fixed)];
    show(low < high ? [low, high] : widened(low));
  }
}

const widened = (bar) => (bar < bars() ? [bar, bar + 1] : [bar - 1, bar]);

function end(ev) {
  if (!drawn || ev.pointerId !== drawn.pointer) return;
  drawn = null;
  ask();
}

/* ---------------------------------------------------------------- where a shift would lead */

const UNITS = { us: 1, ms: 1e3, '': 1e6, s: 1e6, m: 6e7, h: 3.6e9 };

/* Dashed bars where the chosen entries would be, while a time is typed; the server says what is wrong with one. */
function foresee(field) {
  const picture = strip()?.querySelector('svg');
  if (!picture) return;
  for (const old of picture.querySelectorAll('.arr-ghost')) old.remove();
  const time = /^([+\u2212-]?)(\d+(?:\.\d+)?)\s*(us|ms|s|m|h)?$/.exec(field.value.trim());
  if (!time) return;
  const by = (time[1] && time[1] !== '+' ? -1 : 1) * Number(time[2]) * UNITS[time[3] ?? ''];
  const mine = [...picture.querySelectorAll('.arr-mine')];
  for (const path of mine.length ? mine : picture.querySelectorAll('.arr-all')) {
    const ghost = path.cloneNode();
    ghost.setAttribute('class', 'arr-ghost');
    ghost.setAttribute('transform', `translate(${by / Number(strip().dataset.width)} 0)`);
    picture.append(ghost);
  }
}

/* ---------------------------------------------------------------- keys */

function onKey(ev) {
  if (ev.key === 'Enter' && ev.target.matches?.('[data-arrivals-field]')) {
    // Enter in a field presses the button beside it, not the form's first one.
    ev.preventDefault();
    const group = ev.target.closest('.arr-do, .arr-pop');
    group.querySelector('button[name="do"]').click();
    return;
  }
  const name = ev.target.dataset?.arrivalsHandle;
  if (!name || ev.ctrlKey || ev.metaKey || ev.altKey) return;
  const [first, last] = edges();
  if (ev.key === 'Escape') {
    ev.preventDefault();
    show([0, bars()]);
    ask(WAIT_MS);
    return;
  }
  const now = name === 'from' ? first : last;
  const step = (STEPS[ev.key] ?? 0) * (ev.shiftKey ? 10 : 1);
  let to = now + step;
  if (ev.key === 'Home') to = 0;
  else if (ev.key === 'End') to = bars();
  else if (!step) return;
  ev.preventDefault();
  show(
    name === 'from' ? [Math.min(Math.max(to, 0), last - 1), last] : [first, Math.max(Math.min(to, bars()), first + 1)],
  );
  ask(WAIT_MS);
}

on('pointerdown', '[data-arrivals-strip]', begin);
document.addEventListener('pointermove', draw);
document.addEventListener('pointerup', end);
document.addEventListener('pointercancel', () => (drawn = null));
document.addEventListener('keydown', onKey);
on('input', '.arr-by', foresee);
