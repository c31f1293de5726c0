/* Walking through the threads of a review: J and K move, and the middle shows what the next one speaks of; E resolves the
 * one with the focus, R answers it. */
import { nextPlace } from './findings.js';
import { on } from '../common/on.js';

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

on('click', '[data-thread], [data-settle], [data-reply], [data-unread]', (button) => {
  if (button.dataset.thread) walk(Number(button.dataset.thread));
  else if ('reply' in button.dataset) reply();
  else if ('unread' in button.dataset) nameThread(button.form);
  else settle();
});
