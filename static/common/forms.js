/* Small helps for forms: file drop, dialogs by attribute, copy buttons, selects that submit, confirmation, double submit. */
import { csrfHeaders } from './htmx-setup.js';
import { toast } from './toast.js';
import { on } from './on.js';

/** What was chosen: names of files, or of a folder with the number of its files. */
function textOf(input) {
  const files = [...input.files];
  if (!input.webkitdirectory || !files.length) return files.map((file) => file.name).join(', ');
  const folder = files[0].webkitRelativePath.split('/')[0];
  return `${folder}, ${files.length} ${files.length === 1 ? 'file' : 'files'}`;
}

function startDrops() {
  const over = (ev, isOver) => ev.target.closest?.('.drop')?.classList.toggle('is-over', isOver);
  document.addEventListener('dragover', (ev) => over(ev, true));
  document.addEventListener('dragleave', (ev) => over(ev, false));
  document.addEventListener('drop', (ev) => over(ev, false));
  document.addEventListener('change', (ev) => {
    const chooser = ev.target.matches?.('input[type="file"]') ? ev.target.closest('.drop, .choose-files') : null;
    const names = chooser?.querySelector('.names');
    if (names) names.textContent = textOf(ev.target);
  });
}

/* A short address that is made when it is copied; where that is refused the full one serves. */
async function madeAddress(button) {
  const headers = { ...csrfHeaders(), 'HX-Request': 'true' };
  const answer = await fetch(button.dataset.copyMade, { method: 'POST', headers }).catch(() => null);
  return answer?.ok ? answer.text() : button.dataset.copyText;
}

function wordsOf(button) {
  const source = button.dataset.copy ? document.querySelector(button.dataset.copy) : null;
  return source ? (source.value ?? source.textContent).trim() : (button.dataset.copyText ?? location.href);
}

async function copy(button) {
  const text = button.dataset.copyMade ? await madeAddress(button) : wordsOf(button);
  try {
    await navigator.clipboard.writeText(text);
    toast(button.dataset.copied ?? 'Copied', { near: button });
  } catch {
    toast(`The browser did not let us copy. Select it by hand: ${text}`, { meaning: 'backoff', near: button });
  }
}

/* Begins in the first field, so that somebody can type; by itself a dialog begins with the button that closes it. */
function openDialog(dialog) {
  dialog?.showModal();
  dialog?.querySelector('.dialog-body :is(input:not([type=hidden]), textarea, select)')?.focus();
}

/* Asks first where data-confirm says so; the question is a dialog of ours because window.confirm blocks live pages. */
function askFirst(form) {
  const dialog = document.getElementById('confirm');
  dialog.querySelector('[data-words]').textContent = form.dataset.confirm;
  dialog.querySelector('[data-yes]').textContent = form.dataset.confirmYes ?? 'Continue';
  dialog.querySelector('[data-no]').textContent = form.dataset.confirmNo ?? 'Cancel';
  dialog.onclose = () => {
    if (dialog.returnValue !== 'yes') return;
    form.dataset.confirmed = '1';
    form.requestSubmit();
  };
  dialog.returnValue = '';
  dialog.showModal();
}

function onSubmit(ev) {
  const form = ev.target;
  if (form.dataset.confirm && !form.dataset.confirmed) {
    ev.preventDefault();
    ev.stopImmediatePropagation();
    askFirst(form);
    return;
  }
  delete form.dataset.confirmed;
  if (form.method === 'post' && form.dataset.busy) ev.preventDefault();
  else if (form.method === 'post' && !form.hasAttribute('hx-post')) form.dataset.busy = '1';
}

/** Wire the attributes: data-open="#dialog", data-close, data-copy="#selector", data-copy-text (data-copy-made where the text is made when it is copied), data-confirm (with data-confirm-yes and -no), data-submit (a select that submits). */
export function startForms() {
  startDrops();
  on('click', '[data-open]', (opener) => openDialog(document.querySelector(opener.dataset.open)));
  on('click', '[data-close]', (closer) => closer.closest('dialog')?.close());
  // A click on the backdrop hits the dialog itself.
  on('click', 'dialog', (dialog, ev) => ev.target === dialog && dialog.close());
  on('click', '[data-copy], [data-copy-text]', copy);
  document.addEventListener('submit', onSubmit, true);
  on('change', '[data-submit]', (field) => field.form.requestSubmit());
  window.addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form[data-busy]')) delete form.dataset.busy;
  });
}
