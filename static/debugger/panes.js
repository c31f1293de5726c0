/* Widths of the panes: a line between two is dragged, or moved with arrows by 8 px; a double click takes the default. Each browser remembers
   them, apart for narrow and wide windows. */
import { on } from '../common/on.js';

const KEPT = 'pane-widths';
const STEP = 8;
const LEAST = 180;
const LEAST_MAP = 160;
/* The lines between the panes take a pixel each. */
const LINES = 2;
const wide = matchMedia('(min-width: 1600px)');

const root = document.documentElement;
const keyOf = (pane) => `${pane}-${wide.matches ? 'wide' : 'narrow'}`;
const widthOf = (pane) => document.getElementById(pane).getBoundingClientRect().width;

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

function keep(name, width) {
  const widths = kept();
  if (width === null) delete widths[name];
  else widths[name] = width;
  try {
    localStorage.setItem(KEPT, JSON.stringify(widths));
  } catch {
    // Without a store the width lasts as long as the page.
  }
}

/** Return the width within what the other panes leave; `whole` is what all panes have together. */
export function fitting(width, whole, others) {
  return Math.round(Math.max(LEAST, Math.min(width, whole - others - LEAST_MAP)));
}

/* Two lines stand beside the pane in the middle; each is the edge of the pane that it names. */
const grips = () => [...document.querySelectorAll('[data-grip]')];
const gripOf = (pane) => document.querySelector(`[data-grip="${pane}"]`);
const isLeft = (pane) => gripOf(pane).previousElementSibling?.id === pane;

function room(pane) {
  const other = grips().find((grip) => grip.dataset.grip !== pane);
  const isBeside = getComputedStyle(other).display !== 'none';
  return { whole: other.parentElement.clientWidth - LINES, others: isBeside ? widthOf(other.dataset.grip) : 0 };
}

function resize(pane, width, isKept = true) {
  const name = keyOf(pane);
  if (width === null) root.style.removeProperty(`--${name}`);
  else {
    const { whole, others } = room(pane);
    root.style.setProperty(`--${name}`, `${fitting(width, whole, others)}px`);
  }
  if (isKept) keep(name, width === null ? null : Math.round(widthOf(pane)));
  tell();
}

/** Say of each line how wide its pane is. */
function tell() {
  for (const grip of grips()) {
    const pane = grip.dataset.grip;
    const { whole, others } = room(pane);
    const width = Math.round(widthOf(pane));
    grip.setAttribute('aria-valuenow', width);
    grip.setAttribute('aria-valuemin', Math.min(LEAST, width));
    grip.setAttribute('aria-valuemax', Math.max(fitting(Infinity, whole, others), width));
    grip.setAttribute('aria-valuetext', `${width} pixels`);
  }
}

function drag(grip, ev) {
  if (ev.button) return;
  const pane = grip.dataset.grip;
  const start = { x: ev.clientX, width: widthOf(pane) };
  const sign = isLeft(pane) ? 1 : -1;
  ev.preventDefault();
  grip.focus();
  grip.setPointerCapture(ev.pointerId);
  grip.classList.add('is-dragged');
  const move = (now) => resize(pane, start.width + sign * (now.clientX - start.x), false);
  const done = () => {
    grip.classList.remove('is-dragged');
    grip.removeEventListener('pointermove', move);
    if (widthOf(pane) !== start.width) keep(keyOf(pane), Math.round(widthOf(pane)));
  };
  grip.addEventListener('pointermove', move);
  grip.addEventListener('lostpointercapture', done, { once: true });
}

function onKey({ dataset: { grip: pane } }, ev) {
  if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
  const sign = isLeft(pane) ? 1 : -1;
  const change = { ArrowLeft: -STEP, ArrowRight: STEP }[ev.key];
  if (change) resize(pane, widthOf(pane) + sign * change);
  else if (ev.key === 'Enter') resize(pane, null);
  else return;
  ev.preventDefault();
  ev.stopPropagation();
}

/** Wire the lines between the panes; they stay through every step. */
export function startPanes() {
  on('pointerdown', '[data-grip]', drag);
  on('keydown', '[data-grip]', onKey, true);
  on('dblclick', '[data-grip]', (grip) => resize(grip.dataset.grip, null));
  addEventListener('resize', tell);
  tell();
}
