/* Toasts: something was done. Plain ones leave by themselves, problems stay until they are closed. */
import { icon } from './icons.js';

const GLYPH = { bound: 'check', error: 'alert', backoff: 'alert', cursor: 'info' };
const STAY_MS = 6000;

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
  let timer = 0;
  const start = () => {
    timer = setTimeout(() => box.remove(), STAY_MS);
  };
  const hold = () => clearTimeout(timer);
  for (const name of ['pointerenter', 'focusin']) box.addEventListener(name, hold);
  for (const name of ['pointerleave', 'focusout']) box.addEventListener(name, start);
  start();
}

/** Show text as a toast and return its element. meaning: bound, cursor, backoff or error; action: {label, run} adds a button such as Undo. */
export function toast(text, { meaning = 'bound', action = null } = {}) {
  const box = document.createElement('div');
  box.className = `toast m-${meaning}`;
  box.setAttribute('role', meaning === 'error' ? 'alert' : 'status');
  const words = document.createElement('span');
  words.className = 'toast-text';
  words.textContent = text;
  box.append(icon(GLYPH[meaning] ?? 'info'), words);
  if (action) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'btn btn-sm btn-quiet push';
    button.textContent = action.label;
    button.addEventListener('click', () => {
      box.remove();
      action.run();
    });
    box.append(button);
  }
  box.append(closeButton(box));
  document.getElementById('toasts').append(box);
  if (meaning !== 'error') leaveLater(box);
  return box;
}

/** Give the toasts that the server rendered their close buttons and let the plain ones leave. */
export function startToasts() {
  const adopt = () => {
    for (const box of document.querySelectorAll('#toasts > .toast:not([data-live])')) {
      box.dataset.live = '1';
      if (!box.querySelector('[aria-label="Close"]')) box.append(closeButton(box));
      if (!box.classList.contains('m-error')) leaveLater(box);
    }
  };
  adopt();
  document.addEventListener('htmx:afterSwap', adopt);
  document.addEventListener('toast', (ev) =>
    toast(ev.detail.text ?? ev.detail.value, { meaning: ev.detail.meaning ?? 'bound' }),
  );
}
