/* Undo and redo in the editor, from the draft's bar or a toast: the page stays, and its parts follow. */
import { csrfHeaders } from '../../common/htmx-setup.js';
import { toast } from '../../common/toast.js';
import { newToken } from '../../common/token.js';
import { ASK_EVERY, busy } from './busy.js';
import { on } from '../../common/on.js';
import { problemIn } from '../../common/problem.js';

/* Both versions of what somebody else changed since are a page of their own. */
function showVersions(url, body) {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = url;
  form.hidden = true;
  for (const [name, value] of [...body, ['csrfmiddlewaretoken', csrfHeaders()['X-CSRFToken']]]) {
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  }
  document.body.append(form);
  form.submit();
}

let isRunning = false;

/* Says what runs, and how far it is, once it is not over at once. */
async function send(url, body, text) {
  const token = newToken();
  body.set('progress', token);
  const headers = { ...csrfHeaders(), 'HX-Request': 'true', 'HX-Current-URL': location.href };
  isRunning = true;
  const later = setTimeout(() => busy(text, null, token), ASK_EVERY);
  const answer = await fetch(url, { method: 'POST', body, headers }).catch(() => null);
  clearTimeout(later);
  busy('');
  isRunning = false;
  return answer;
}

/** Undo or redo by this address, and say what was done; `text` says what runs meanwhile. One at a time. */
export async function changeDraft(address, fields, text) {
  if (isRunning) return;
  const url = new URL(address, location.href);
  const body = new URLSearchParams(fields);
  body.set('back', `${location.pathname}${location.search}`);
  const answer = await send(url, body, text);
  const to = answer?.headers.get('HX-Redirect');
  if (to) location.assign(to);
  else if (answer?.status === 409 && !answer.headers.get('X-Problem')) showVersions(url, body);
  else if (!answer?.ok) toast(problemIn(answer, 'Nothing is changed.'), { meaning: 'error' });
  else {
    toast(JSON.parse(answer.headers.get('HX-Trigger')).handdone.text);
    for (const name of ['draftwritten', 'draftchanged'])
      document.body.dispatchEvent(new CustomEvent(name, { bubbles: true }));
  }
}

on('submit', '#draftbar form', (form, ev) => {
  ev.preventDefault();
  delete form.dataset.busy;
  changeDraft(form.action, new FormData(form), form.querySelector('button').title);
});
