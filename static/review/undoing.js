/* Resolving a thread and opening it again can be undone, wherever threads are shown. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { toast } from '../common/toast.js';

/* What was done to a thread by the end of its address, and the end of the address that takes it back. */
const DONE = {
  resolve: { said: 'Thread resolved', back: 'reopen', stays: 'resolved' },
  reopen: { said: 'Thread open again', back: 'resolve', stays: 'open' },
};

/** Return what can be undone of a form that was sent to this address: {said, address, stays}; null for other forms. */
export function undoneBy(action) {
  const [, thread, end] = /^(.*\/threads\/\d+\/)(\w+)$/.exec(action) ?? [];
  const done = DONE[end];
  return done ? { said: done.said, address: thread + done.back, stays: done.stays } : null;
}

/* The thread may have left the list when somebody wants it back, so its form is not asked. */
async function undo({ address, stays }) {
  const answer = await fetch(address, { method: 'POST', headers: { ...csrfHeaders(), 'HX-Request': 'true' } });
  if (answer.ok) document.body.dispatchEvent(new Event('threads-changed', { bubbles: true }));
  else toast(`The thread stays ${stays}: the server answered ${answer.status}.`, { meaning: 'error' });
}

/** Offer to take back what the forms of threads do. */
export function startUndoing() {
  document.addEventListener('htmx:afterRequest', (ev) => {
    const form = ev.detail.elt;
    const undone = ev.detail.successful && form.matches?.('form[action]') && undoneBy(form.getAttribute('action'));
    if (!undone) return;
    /* A dialog lies over the toasts. */
    const near = form.closest('dialog')?.querySelector('.dialog-head');
    toast(undone.said, { action: { label: 'Undo', run: () => undo(undone) }, near });
  });
}
