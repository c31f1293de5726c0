/* The form of an object: each change is sent as one edit with the YAML as it stands, one after the other, and the
   answer takes the form's place. What is being typed meanwhile stays, and is sent when its field is left. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { toast } from '../common/toast.js';
import { on } from '../common/on.js';
import { problemIn } from '../common/problem.js';

const part = () => document.querySelector('[data-object-form]');
let isSending = false;
let waiting = [];
// Texts with errors whose object was left before the answer came, by the address of their form.
const left = new Map();

/** The fields that every request carries: which object, from which content, and the YAML. */
const bodyOf = (form, edits) => {
  // Names hold quotes, which a multipart body would escape.
  const body = new URLSearchParams();
  for (const name of ['kind', 'ns', 'name', 'new', 'seen', 'text']) {
    const field = form.elements[name];
    if (field?.value) body.set(name, field.value);
  }
  for (const [name, value] of edits) body.append(name, value);
  return body;
};

const fields = (root) => [...root.querySelectorAll('[data-was]')];

/** What is asked for so far of each field (the YAML too), in the form that is shown. */
let asked = new WeakMap();
const before = (field) => asked.get(field) ?? field.dataset.was ?? field.defaultValue;
const isField = (one) => one?.dataset?.was !== undefined || one?.name === 'text';
const hasMore = (one) => isField(one) && one.value !== before(one);
const editOf = (field) => (field.name === 'text' ? ['do', ''] : [field.name, field.value]);
const isWaiting = ([name, value]) => waiting.some((one) => one[0] === name && one[1] === value);

/** What the reader has open, where they are and what they typed since, put back after the form was replaced. */
const placeOf = (root, sent) => {
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const typed = fields(root).filter((one) => one.value !== one.dataset.was && sent.get(one.name) !== one.value);
  const text = root.querySelector('[name="text"]');
  return {
    scrolled: root.scrollTop,
    text: text && text.value !== sent.get('text') ? text.value : null,
    textAt: text ? [text.scrollTop, text.selectionStart, text.selectionEnd] : null,
    open: new Map([...root.querySelectorAll('details[data-kept]')].map((one) => [one.dataset.kept, one.open])),
    typed: new Map(typed.map((one) => [one.id, one.value])),
    id: active?.id ?? '',
    name: active?.name ?? '',
    value: active?.tagName === 'BUTTON' ? active.value : null,
    selection: active && active.type === 'text' ? [active.selectionStart, active.selectionEnd] : null,
  };
};

const focusIn = (root, place) => {
  let next = place.id ? document.getElementById(place.id) : null;
  if (!next && place.name) {
    next = [...root.querySelectorAll('[name]')].find(
      (one) => one.name === place.name && (place.value === null || one.value === place.value),
    );
  }
  if (!next && place.value?.startsWith('remove:')) next = root.querySelector('button[value^="add:"]');
  // What was added is filled in next.
  if (next && place.value?.startsWith('add:')) {
    const rows = next.closest('[role="group"]').querySelectorAll(':scope > .of-row');
    next = [...rows].at(-1)?.querySelector('[data-was]') ?? next;
    next.scrollIntoView({ block: 'nearest' });
  }
  next?.focus({ preventScroll: true });
  if (next && place.selection) next.setSelectionRange(...place.selection);
};

const putBack = (root, place, edits) => {
  for (const one of root.querySelectorAll('details[data-kept]')) {
    if (place.open.has(one.dataset.kept)) one.open = place.open.get(one.dataset.kept);
  }
  const retype = (field, value) => {
    field.value = value;
    const edit = editOf(field);
    // What is still being typed is sent when its field is left: no browser tells of a change that a script put back.
    if (field.id === place.id && !isWaiting(edit)) return;
    asked.set(field, value);
    if (!isWaiting(edit)) waiting.push(edit);
  };
  for (const [id, value] of place.typed) {
    const field = document.getElementById(id);
    if (field) retype(field, value);
  }
  const text = root.querySelector('[name="text"]');
  if (text && place.text !== null) {
    waiting.unshift(...edits); // it was typed without the edits that were under way
    retype(text, place.text);
  }
  if (text && place.textAt) {
    text.scrollTop = place.textAt[0];
    if (place.name === 'text') text.setSelectionRange(place.textAt[1], place.textAt[2]);
  }
  root.scrollTop = place.scrolled;
  if (place.id || place.name) focusIn(root, place);
};

let isReplacing = false;

/** Put an answer in the place of the form; without what was sent, nothing of the old form stays. */
const show = (html, sent, edits = []) => {
  const next = new DOMParser().parseFromString(html, 'text/html').getElementById('object-form');
  const root = part();
  if (!next || !root) return;
  const place = sent && placeOf(root, sent);
  root.setAttribute('aria-label', next.getAttribute('aria-label'));
  root.dataset.state = next.dataset.state;
  isReplacing = true; // a field that has the focus is left when it is taken away
  root.replaceChildren(...next.childNodes);
  isReplacing = false;
  if (place) putBack(root, place, edits);
  root.querySelector('dialog[data-opens]')?.showModal();
  count();
};

const tell = (answer) => {
  const said = answer.headers.get('HX-Trigger');
  if (!said) return;
  document.body.dispatchEvent(new CustomEvent('draftwritten', { bubbles: true })); // the draft's bar follows
  for (const [name, detail] of Object.entries(JSON.parse(said))) {
    document.body.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
    if (name === 'objectmoved' && part()?.closest('.of-main')) history.replaceState(null, '', detail.address);
  }
};

/** Send an edit; return the whole answer, null where none came. Until its last byte is here the next edit waits. */
async function post(form, body) {
  try {
    const headers = { ...csrfHeaders(), 'HX-Request': 'true' };
    const answer = await fetch(form.action, { method: 'POST', body, headers });
    return { ok: answer.ok, status: answer.status, headers: answer.headers, html: await answer.text() };
  } catch {
    return null;
  }
}

/** Another object was chosen before the answer came: what was typed since is sent too, and what is not written stays for when its
    object is back. */
async function leave(form, body, answer, edits) {
  const root = answer?.ok && new DOMParser().parseFromString(answer.html, 'text/html');
  const next = root && root.querySelector('#object-form form');
  const rest = left.get(form.action)?.edits ?? [];
  left.delete(form.action);
  if (answer?.ok) tell(answer);
  if (root && root.getElementById('object-form')?.dataset.state === 'written') {
    if (!rest.length) return;
    const more = bodyOf(next, rest);
    await leave(form, more, await post(form, more), rest);
    return;
  }
  const text = next ? next.elements.text.value : body.get('text');
  left.set(form.action, { text, edits: next ? rest : [...edits, ...rest] });
  const name = body.get('name') ?? `the new ${body.get('new')}`;
  const why = answer ? 'its YAML has errors, or somebody changed it' : 'the server cannot be reached';
  toast(`${name} is not written: ${why}. It is kept here; select it again.`, { meaning: 'backoff' });
}

/* Another part takes the form's place: a text that is not written yet stays too, and edits that were not sent. */
document.addEventListener('htmx:beforeSwap', (ev) => {
  const root = part();
  if (!root || !ev.detail.shouldSwap || !ev.detail.target.contains(root)) return;
  const form = root.querySelector('form');
  if (!waiting.length && !['errors', 'clash'].includes(root.dataset.state)) return;
  left.set(form.action, { text: form.elements.text.value, edits: waiting });
  waiting = [];
});

const takeUp = () => {
  const form = part()?.querySelector('form');
  const kept = form && left.get(form.action);
  if (!kept) return;
  left.delete(form.action);
  form.elements.text.value = kept.text;
  ask(['do', ''], ...kept.edits);
};

/* Edits that did not reach the server are kept and sent once it answers again; what it refused is said once. */
const AGAIN_MS = 3000;
let retry = 0;

function holdBack(edits, answer) {
  if (answer && answer.status < 502) {
    asked = new WeakMap(); // leaving a field again sends it again
    toast(problemIn(answer, 'What you typed is still here.'), { meaning: 'error' });
    return;
  }
  waiting = [...edits, ...waiting];
  sayUnsent();
  clearTimeout(retry);
  retry = setTimeout(send, AGAIN_MS);
}

function sayUnsent() {
  const place = part()?.querySelector('.of-head [role="status"]');
  if (!place) return;
  const said = document.createElement('span');
  said.className = 'm-error f';
  const unsent = new Set(waiting.map(([name]) => name)).size;
  said.textContent = `kept here, ${unsent} change${unsent === 1 ? '' : 's'} not sent yet`;
  place.replaceChildren(said);
}
window.addEventListener('online', () => send());

async function send() {
  const form = part()?.querySelector('form');
  if (isSending || !form || !waiting.length) return;
  isSending = true;
  const edits = waiting;
  waiting = [];
  const body = bodyOf(form, edits);
  const answer = await post(form, body);
  isSending = false;
  if (part()?.querySelector('form') !== form) {
    await leave(form, body, answer, edits);
    return;
  }
  if (!answer?.ok) {
    holdBack(edits, answer);
    return;
  }
  show(answer.html, body, edits);
  tell(answer);
  const text = part().querySelector('[name="text"]');
  // Half a text is not sent: it is when it is left.
  if (document.activeElement !== text || !hasMore(text)) send();
}

const ask = (...edits) => {
  waiting.push(...edits);
  clearTimeout(retry);
  send();
};

/** Of a large draft what the form matches comes by a request of its own. */
async function count() {
  const spot = part()?.querySelector('[data-counts]');
  if (!spot) return;
  const form = part().querySelector('form');
  const answer = await fetch(spot.dataset.counts, { headers: { 'HX-Request': 'true' } }).catch(() => null);
  if (!answer?.ok || isSending || waiting.length || part()?.querySelector('form') !== form) return;
  show(await answer.text(), bodyOf(form, []));
}

const take = (field) => {
  if (isReplacing || !part()?.contains(field) || !hasMore(field)) return;
  asked.set(field, field.value);
  ask(editOf(field));
};
document.addEventListener('change', (ev) => take(ev.target));
document.addEventListener('focusout', (ev) => take(ev.target));

document.addEventListener('submit', (ev) => {
  if (!part()?.contains(ev.target)) return;
  ev.preventDefault();
  take(document.activeElement);
  const button = ev.submitter;
  if (button?.name && (button.name !== 'do' || button.value)) ask([button.name, button.value]);
  else if (button?.name === 'do') ask(['do', '']);
});

on('click', '[data-object-form] [data-reload]', (link, ev) => {
  ev.preventDefault();
  fetch(link.href, { headers: { 'HX-Request': 'true' } })
    .then((answer) => answer.text())
    .then((html) => show(html, null));
});

document.body.addEventListener('htmx:afterSettle', (ev) => {
  if (!ev.target.closest?.('[data-object-form]') && !document.querySelector('#map-selected [data-object-form]')) return;
  takeUp();
  count();
});
window.addEventListener('beforeunload', (ev) => {
  if (left.size || waiting.length) ev.preventDefault();
});

count();
document.documentElement.dataset.formsReady = '';
