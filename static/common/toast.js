/* Toasts: something was done. Plain ones leave by themselves, problems stay until they are closed. */
import { icon } from './icons.js';
import { startPlaces } from './toast_place.js';

const GLYPH = { bound: 'check', error: 'alert', backoff: 'alert', cursor: 'info' };
const STAY_MS = 6000;
// What can still be undone is offered for longer.
const STAY_WITH_ACTION_MS = 15000;
// Two lie in the bars at the top; a third would lie over the page.
const MOST = 2;
const GAP = 6;

function closeButton(box) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn btn-sm btn-quiet btn-icon';
  button.setAttribute('aria-label', 'Close');
  button.append(icon('x'));
  button.addEventListener('click', () => box.remove());
  return button;
}

function leaveLater(box) {
  const stay = box.querySelector('[data-action]') ? STAY_WITH_ACTION_MS : STAY_MS;
  let timer = 0;
  const start = () => {
    clearTimeout(timer);
    timer = setTimeout(() => box.remove(), stay);
  };
  const hold = () => clearTimeout(timer);
  for (const name of ['pointerenter', 'focusin']) box.addEventListener(name, hold);
  for (const name of ['pointerleave', 'focusout', 'again']) box.addEventListener(name, start);
  start();
}

/* Counts a toast that is said once more instead of showing it twice. */
function again(text, meaning) {
  const boxes = [...document.querySelectorAll('.toast')];
  const box = boxes.find((one) => one.dataset.text === text && one.classList.contains(`m-${meaning}`));
  if (!box) return null;
  const times = Number(box.dataset.times ?? 1) + 1;
  box.dataset.times = times;
  const count = box.querySelector('.count') ?? document.createElement('span');
  count.className = 'count';
  count.textContent = `${times} times`;
  box.querySelector('.toast-text').after(count);
  box.dispatchEvent(new Event('again'));
  return box;
}

/** Return where a box of this size stands at a control: below it, above where there is no room, inside of the window. */
export function placeNear(control, size, view) {
  const below = control.bottom + GAP;
  const top = below + size.height > view.height ? control.top - GAP - size.height : below;
  const left = control.right - size.width;
  const inside = (at, length, whole) => Math.round(Math.max(GAP, Math.min(at, whole - length - GAP)));
  return { left: inside(left, size.width, view.width), top: inside(top, size.height, view.height) };
}

function stack(box) {
  const list = document.getElementById('toasts');
  box.classList.remove('toast-near');
  box.style.left = box.style.top = '';
  list.append(box);
  const boxes = [...list.children];
  for (const old of boxes.slice(0, Math.max(boxes.length - MOST, 0))) old.remove();
}

function standNear(box, control) {
  box.classList.add('toast-near');
  (control.closest('dialog') ?? document.body).append(box);
  const view = { width: innerWidth, height: innerHeight };
  const at = placeNear(control.getBoundingClientRect(), box.getBoundingClientRect(), view);
  box.style.left = `${at.left}px`;
  box.style.top = `${at.top}px`;
  // Where the control moves away, the words stay readable at the top.
  document.addEventListener('scroll', () => box.isConnected && stack(box), { capture: true, once: true });
}

function actionButton(box, action) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn btn-sm';
  button.dataset.action = '';
  button.textContent = action.label;
  button.addEventListener('click', () => {
    box.remove();
    action.run();
  });
  return button;
}

/**
 * Show text as a toast and return its element; the same text said again is counted on the one that is there, unless it
 * has an action, which belongs to what was done now.
 * meaning: bound, cursor, backoff or error; action: {label, run} adds a button such as Undo; near: the control that
 * the words are about, else they stand in the bars at the top.
 */
export function toast(text, { meaning = 'bound', action = null, near = null } = {}) {
  const there = action ? null : again(text, meaning);
  if (there) return there;
  const box = document.createElement('div');
  box.className = `toast m-${meaning}`;
  box.dataset.text = text;
  box.dataset.live = '1';
  box.setAttribute('role', meaning === 'error' ? 'alert' : 'status');
  const words = document.createElement('span');
  words.className = 'toast-text';
  words.textContent = text;
  box.append(icon(GLYPH[meaning] ?? 'info'), words);
  if (action) box.append(actionButton(box, action));
  box.append(closeButton(box));
  if (near?.isConnected) standNear(box, near);
  else stack(box);
  if (meaning !== 'error') leaveLater(box);
  return box;
}

/** Give the toasts that the server rendered their close buttons and let the plain ones leave. */
export function startToasts() {
  const adopt = () => {
    for (const box of document.querySelectorAll('#toasts > .toast:not([data-live])')) {
      box.dataset.live = '1';
      box.dataset.text = box.querySelector('.toast-text').textContent;
      if (!box.querySelector('[aria-label="Close"]')) box.append(closeButton(box));
      if (!box.classList.contains('m-error')) leaveLater(box);
    }
  };
  adopt();
  startPlaces(document.getElementById('toasts'));
  document.addEventListener('htmx:afterSwap', adopt);
  document.addEventListener('toast', (ev) =>
    toast(ev.detail.text ?? ev.detail.value, { meaning: ev.detail.meaning ?? 'bound' }),
  );
}
