/* The bar of the selection: shows what its kinds have, opens the dialogs, and sends what they say. */
import { csrfHeaders } from '../../common/htmx-setup.js';
import { tailed } from '../../common/names.js';
import { toast } from '../../common/toast.js';
import { newToken } from '../../common/token.js';
import { busy } from './busy.js';
import { filterOf, hasPicks, pick, pickFromAddress, picks } from './picks.js';
import { showSeveral } from './several.js';
import { changeDraft } from './steps.js';
import { grouped, kindOf, kindsOf, nameOf, words } from './words.js';
import { on } from '../../common/on.js';
import { problemIn } from '../../common/problem.js';

const bar = document.getElementById('hand');
const part = (name) => bar.querySelector(`[data-hand-${name}]`);
const podOf = (id) => id.slice('Pod/'.length);

/* What is known of the object beside the map. */
const beside = () => document.getElementById('map-selected')?.dataset ?? {};

function waits(id) {
  const { pod, node } = beside();
  return kindOf(id) === 'Pod' && pod === podOf(id) && !node;
}

/* What the address selects may be gone from the draft. */
const isGone = () => !hasPicks() && 'unknown' in beside();

function refresh() {
  const ids = isGone() ? [] : picks();
  const kinds = new Set(ids.map(kindOf));
  bar.classList.toggle('is-on', ids.length > 0);
  part('none').hidden = ids.length > 0;
  part('what').hidden = part('acts').hidden = !ids.length;
  const isOne = ids.length === 1;
  showSeveral(ids);
  part('count').textContent = isOne ? kindOf(ids[0]) : `${grouped(ids.length)} selected`;
  part('kinds').replaceChildren(tailed(isOne ? nameOf(ids[0]) : kindsOf(ids)));
  if (filterOf()) part('kinds').firstChild.title = `What the filter ${filterOf()} finds`;
  for (const button of bar.querySelectorAll('[data-hand]')) {
    const own = button.dataset.kinds.split(' ').filter(Boolean);
    const isFor = ids.length > 0 && [...kinds].every((kind) => !own.length || own.includes(kind));
    button.hidden = !isFor || ('single' in button.dataset && ids.length > 1) || !document.getElementById('hand-label');
    if (button.dataset.hand === 'unbind' && isOne) button.hidden ||= waits(ids[0]);
    if (isOne && button.dataset.hand === ('cordoned' in beside() ? 'cordon' : 'uncordon')) button.hidden = true;
    button.disabled = button.hidden; // its key does nothing then
  }
  part('more').hidden = ![...part('more').querySelectorAll('[data-hand]')].some((button) => !button.hidden);
}

/* ---------- what is sent ---------- */

function selection(body) {
  const ids = picks();
  if (filterOf()) {
    body.set('filter', filterOf());
    body.set('count', ids.length);
  } else body.set('objects', ids.join('\n'));
  return body;
}

async function post(url, body) {
  const headers = { ...csrfHeaders(), 'HX-Request': 'true', 'HX-Current-URL': location.href };
  return fetch(url, { method: 'POST', body, headers }).catch(() => null);
}

function complain(dialog, text) {
  const place = dialog?.open ? dialog.querySelector('[data-hand-problem]') : null;
  if (!place) toast(text, { meaning: 'error' });
  else {
    place.hidden = false;
    place.textContent = text;
  }
}

function tell(answer, what) {
  const { handdone } = JSON.parse(answer.headers.get('HX-Trigger'));
  toast(handdone.text, {
    action: { label: 'Undo', run: () => changeDraft(handdone.undo, [], `Undo: ${handdone.text}`) },
  });
  if (what === 'delete') pick([]);
  else if (filterOf()) pick(picks()); // the filter may find others by now
  for (const name of ['draftwritten', 'draftchanged']) {
    document.body.dispatchEvent(new CustomEvent(name, { bubbles: true }));
  }
}

/** Carry out an action; what stands against it is said in its dialog, or where there is none, as a toast. */
async function send(what, body, dialog = null, url = bar.dataset.act) {
  const doing =
    bar.querySelector(`[data-hand="${what}"]`)?.dataset.keyLabel?.replace(/ the selection$/, '') ?? 'Change';
  const token = newToken();
  busy(`${doing}: ${words(picks())}`, dialog, picks().length > 1 ? token : '');
  body.set('what', what);
  body.set('progress', token);
  const answer = await post(url, selection(body));
  busy('', dialog);
  if (answer?.status === 204) {
    dialog?.close();
    tell(answer, what);
  } else if (answer?.ok) showRefusal(await answer.text());
  else complain(dialog, problemIn(answer, 'Nothing is changed.'));
}

/* ---------- dialogs ---------- */

const bind = document.getElementById('hand-bind');

function showRefusal(html) {
  fill('hand-places', html);
  bind.querySelector('[data-hand-word]').hidden = true;
  label(bind, 'Bind anyway');
  if (!bind.open) bind.showModal();
}

function label(dialog, text) {
  dialog.querySelector('.btn-primary').textContent = text;
}

function fill(id, html) {
  const next = new DOMParser().parseFromString(html, 'text/html').getElementById(id);
  if (!next) return null;
  document.getElementById(id).replaceWith(next);
  window.htmx.process(next);
  return next;
}

async function listPlaces(word = '') {
  const url = new URL(bar.dataset.places, location.href);
  url.searchParams.set('pod', bind.querySelector('[name=pod]').value);
  if (word) url.searchParams.set('word', word);
  const answer = await fetch(url, { headers: { 'HX-Request': 'true' } }).catch(() => null);
  if (answer?.ok) fill('hand-places', await answer.text());
  else complain(bind, problemIn(answer, 'Nothing is changed.'));
}

/** Bind a pod: to this node where the engine lets it, else a list of nodes is shown. */
function bindPod(pod, node = '') {
  bind.querySelector('[name=pod]').value = pod;
  bind.querySelector('[data-hand-word]').hidden = false;
  bind.querySelector('[data-hand-of]').replaceChildren(tailed(pod));
  label(bind, 'Bind');
  if (node) send('bind', new URLSearchParams({ pod, place: node }), null, bar.dataset.place);
  else {
    bind.showModal();
    listPlaces();
  }
}

async function planDrain(dialog, more = '') {
  const answer = await post(bar.dataset.drained, selection(new URLSearchParams(more)));
  if (!dialog.open) return;
  if (!answer?.ok) {
    complain(dialog, problemIn(answer, 'Nothing is changed.'));
    return;
  }
  const { again, pause } = fill('hand-drained', await answer.text())?.dataset ?? {};
  if (again) setTimeout(() => planDrain(dialog, again), Number(pause));
}

function prepare(what, dialog) {
  const ids = picks();
  const [first] = ids;
  dialog.querySelector('[data-hand-problem]').hidden = true;
  dialog.querySelector('[data-hand-of]').replaceChildren(tailed(words(ids)));
  if (what === 'bind') {
    bindPod(podOf(first));
    return;
  }
  if (what === 'duplicate') {
    dialog.querySelector('[name=pattern]').value = `${nameOf(first).replace(/\d+$/, '').replace(/-$/, '')}-#`;
  }
  const replicas = document.querySelector('#object-form [name*="replicas"], #object-form [name*="parallelism"]');
  if (what === 'scale' && replicas && ids.length === 1) dialog.querySelector('[name=number]').value = replicas.value;
  dialog.showModal();
  dialog.querySelector('.dialog-body input')?.select();
  if (what === 'drain') {
    document.getElementById('hand-drained').replaceChildren();
    planDrain(dialog);
  }
}

function press(button) {
  const menu = button.closest('details');
  if (menu) menu.open = false;
  const { hand, asks } = button.dataset;
  if (asks) prepare(hand, document.querySelector(asks));
  else send(hand, new URLSearchParams());
}

on('submit', '[data-hand-form]', (form, ev) => {
  ev.preventDefault();
  delete form.dataset.busy;
  const body = new URLSearchParams(new FormData(form));
  const dialog = form.closest('dialog');
  const what = ev.submitter?.value || dialog.id.replace('hand-', '');
  send(what, body, dialog, what === 'bind' ? bar.dataset.place : bar.dataset.act);
});
bind?.querySelector('[name=word]').addEventListener('input', (ev) => listPlaces(ev.target.value));

/* ---------- start ---------- */

bar.addEventListener('click', (ev) => {
  const button = ev.target.closest('[data-hand]');
  if (button) press(button);
  else if (ev.target.closest('[data-hand-clear]')) {
    if (hasPicks()) pick([]);
    else document.dispatchEvent(new CustomEvent('map:select', { detail: {} }));
  }
});
document.addEventListener('map:bind', (ev) => bindPod(ev.detail.pod, ev.detail.node));
document.addEventListener('map:unbind', (ev) => {
  const id = `Pod/${ev.detail.pod}`;
  pick([id]);
  send('unbind', new URLSearchParams());
});
document.addEventListener('map:zone', (ev) => send('zone', new URLSearchParams({ place: ev.detail.zone })));
document.addEventListener('picks:changed', refresh);
document.addEventListener('map:selected', refresh);
document.addEventListener('htmx:afterSwap', refresh);
pickFromAddress(bar.dataset.picked).then(refresh);
document.documentElement.dataset.handReady = '';
