/* What lies below the queues: one panel per tab. Where there is height for all of them (wide windows) they stand below each other. */
import { on } from '../common/on.js';

const KEPT = 'below-queues';
const TAB = '#below-queues [role="tab"]';
const wide = matchMedia('(min-width: 1600px)');

const root = () => document.getElementById('below-queues');
const tabs = () => [...root().querySelectorAll('[role="tab"]')];
const panelOf = (tab) => document.getElementById(tab.getAttribute('aria-controls'));

function select(tab, { focus = false } = {}) {
  for (const one of tabs()) {
    const isChosen = one === tab;
    one.setAttribute('aria-selected', String(isChosen));
    one.tabIndex = isChosen ? 0 : -1;
    panelOf(one).hidden = !isChosen && !wide.matches;
    for (const part of root().querySelectorAll(`[data-of-tab="${one.id.replace('tab-', '')}"]`))
      part.hidden = !isChosen && !wide.matches;
  }
  if (focus) tab.focus();
}

function onKey(tab, ev) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[ev.key];
  if (!step) return;
  ev.preventDefault();
  ev.stopPropagation();
  const all = tabs();
  choose(all[(all.indexOf(tab) + step + all.length) % all.length]);
}

function choose(tab) {
  select(tab, { focus: true });
  sessionStorage.setItem(KEPT, tab.id);
}

/** Wire the tabs; the one that was open last in this window is open again. */
export function startBelow() {
  if (!root() || !tabs().length) return;
  const last = () => document.getElementById(sessionStorage.getItem(KEPT) ?? '');
  const show = () => select(tabs().find((one) => one === last()) ?? tabs()[0]);
  on('click', TAB, choose);
  on('keydown', TAB, onKey, true);
  wide.addEventListener('change', show);
  show();
}
