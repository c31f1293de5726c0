/* Walking through the threads of a review: J and K move, and the middle shows what the next one speaks of; E resolves the
 * one with the focus; resolving can be undone. R answers it. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { toast } from '../common/toast.js';
import { nextPlace } from './findings.js';

const threads = () => [...document.querySelectorAll('#review-threads article.thread')];

function walk(step) {
  const all = threads();
  if (!all.length) return;
  const at = all.findIndex((one) => one.contains(document.activeElement));
  const next = all[nextPlace(at, step, all.length)];
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
  next.closest('.rv-anchored')?.querySelector('[data-show-thread]')?.click();
}

function settle() {
  const thread = document.activeElement?.closest?.('article.thread') ?? threads()[0];
  thread?.querySelector('form:is([action$="/resolve"], [action$="/reopen"]) button')?.click();
}

function reply() {
  const thread = document.activeElement?.closest?.('article.thread') ?? threads()[0];
  const field = thread?.querySelector('.reply textarea');
  field?.closest('details')?.setAttribute('open', '');
  field?.focus();
}

/* The thread with the focus is the one that is unread again. */
function nameThread(form) {
  const thread = document.activeElement?.closest?.('article.thread');
  form.elements.thread.value = thread?.id.replace(/^thread-/, '') ?? '';
}

/* The thread may have left the list when somebody wants it back, so its form is not asked. */
async function reopen(address) {
  const answer = await fetch(address.replace(/resolve$/, 'reopen'), {
    method: 'POST',
    headers: { ...csrfHeaders(), 'HX-Request': 'true' },
  });
  if (answer.ok) document.body.dispatchEvent(new Event('threads-changed', { bubbles: true }));
  else toast(`The thread stays resolved: the server answered ${answer.status}.`, { meaning: 'error' });
}

document.addEventListener('click', (ev) => {
  const button = ev.target.closest?.('[data-thread], [data-settle], [data-reply], [data-unread]');
  if (!button) return;
  if (button.dataset.thread) walk(Number(button.dataset.thread));
  else if ('reply' in button.dataset) reply();
  else if ('unread' in button.dataset) nameThread(button.form);
  else settle();
});
document.addEventListener('htmx:afterRequest', (ev) => {
  const form = ev.detail.elt;
  if (!ev.detail.successful || !form.matches?.('form[action$="/resolve"]')) return;
  const address = form.getAttribute('action');
  toast('Thread resolved', { action: { label: 'Undo', run: () => reopen(address) } });
});
