/* Comments beside the changes of a cluster: a field is chosen for the comment, and has the number of each thread on it. */
import { isPlainClick } from '../common/on.js';

const list = () => document.getElementById('change-thread-list');

/* What a control at an object or field says it comments on. */
export const nameIn = (title) => title.replace(/^Comment on /, '');

function choose(link) {
  const form = document.querySelector('[data-change-form]');
  if (!form) return false;
  const query = new URL(link.href, location.href).searchParams;
  for (const name of ['finding', 'field']) form.elements[name].value = query.get(name) ?? '';
  form.querySelector('[data-pinned]').textContent = nameIn(link.title);
  document.querySelector('[data-change-hint]').hidden = true;
  form.hidden = false;
  form.querySelector('textarea').focus();
  return true;
}

/* Where the thread's object or field stands: the field's name, else the object's head; null where this page has neither. */
function placeOf({ of: finding, field }) {
  const change = document.querySelector(`[data-finding="${CSS.escape(finding)}"]`);
  const row = field && change?.querySelector(`tr[data-field="${CSS.escape(field)}"]`);
  return row?.firstElementChild ?? change?.querySelector('.diff-head, [data-thread-place]') ?? null;
}

const anchored = () => [...(list()?.querySelectorAll('.rv-anchored') ?? [])];

function anchor() {
  for (const old of document.querySelectorAll('[data-finding] .rv-anchor')) old.remove();
  for (const thread of anchored()) {
    const place = placeOf(thread.dataset);
    if (!place) continue;
    const link = document.createElement('a');
    link.className = 'rv-n rv-anchor is-inline';
    link.href = `#${thread.querySelector('article').id}`;
    link.textContent = thread.dataset.anchor;
    link.setAttribute('aria-label', `Thread ${thread.dataset.anchor} speaks of this`);
    const control = place.querySelector('.pin-link');
    if (control) control.before(link);
    else place.append(link);
  }
}

document.addEventListener('click', (ev) => {
  if (!isPlainClick(ev)) return;
  const link = ev.target.closest?.('a[data-field-pin]');
  if (link && choose(link)) return ev.preventDefault();
  const thread = ev.target.closest?.('[data-show-field]')?.closest('.rv-anchored');
  const place = thread && placeOf(thread.dataset);
  if (!place) return;
  ev.preventDefault();
  place.scrollIntoView({ block: 'center' });
  place.querySelector('a')?.focus({ preventScroll: true });
});
document.addEventListener('htmx:afterSettle', anchor);
anchor();
