/* Small helps for forms: file drop, dialogs by attribute, copy buttons, selects that submit, confirmation, double submit. */
import { csrfHeaders } from './htmx-setup.js';
import { toast } from './toast.js';

/** What was chosen: names of files, or of a folder with the number of its files. */
function textOf(input) {
  const files = [...input.files];
  if (!input.webkitdirectory || !files.length) return files.map((file) => file.name).join(', ');
  const folder = files[0].webkitRelativePath.split('/')[0];
  return `${folder}, ${files.length} ${files.length === 1 ? 'file' : 'files'}`;
}

function startDrops() {
  const over = (ev, on) => ev.target.closest?.('.drop')?.classList.toggle('is-over', on);
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

function onClick(ev) {
  const opener = ev.target.closest('[data-open]');
  if (opener) document.querySelector(opener.dataset.open)?.showModal();
  const closer = ev.target.closest('[data-close]');
  if (closer) closer.closest('dialog')?.close();
  if (ev.target.matches('dialog')) ev.target.close(); // a click on the backdrop hits the dialog itself
  const copier = ev.target.closest('[data-copy], [data-copy-text]');
  if (copier) copy(copier);
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
  document.addEventListener('click', onClick);
  document.addEventListener('submit', onSubmit, true);
  document.addEventListener('change', (ev) => {
    if (ev.target.matches?.('[data-submit]')) ev.target.form.requestSubmit();
  });
  window.addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form[data-busy]')) delete form.dataset.busy;
  });
}
