/* Threads wherever a page includes them: fetched again when they changed and somebody looks, words in the making kept, links to one opened. */
import { startMentions } from './mentions.js';
import { startUndoing } from './undoing.js';
import { on } from '../common/on.js';

const EVERY_MS = 10_000;
const SLOW_MS = 60_000;
const LIVE = '[data-poll], [data-topic]';
/* What a comment is about changes with what is chosen. */
const TYPED = 'textarea, :is(input, select):not([data-composer-form] *)';

/* Without the workspace's socket, which tells when there is something new. */
function poll(selector) {
  if (document.visibilityState !== 'visible' || document.documentElement.dataset.feed) return;
  for (const node of document.querySelectorAll(selector))
    if (node.getClientRects().length) window.htmx?.trigger(node, 'poll');
}

/* Drafts: what was typed and not sent survives stepping to another cycle and loading the page again. */
const draftKey = (field) => `draft ${location.pathname.split('/').slice(0, 5).join('/')} ${field.id}`;

function restoreDrafts(root) {
  for (const field of root.querySelectorAll('textarea[data-draft]')) {
    const kept = sessionStorage.getItem(draftKey(field));
    if (kept && !field.value) field.value = kept;
  }
}

function keepDraft(field) {
  if (field.value) sessionStorage.setItem(draftKey(field), field.value);
  else sessionStorage.removeItem(draftKey(field));
}

function sent(form) {
  for (const field of form.querySelectorAll('textarea[data-draft]')) sessionStorage.removeItem(draftKey(field));
  // A branch that came with the page was suggested once.
  for (const option of form.querySelectorAll('.rv-suggest option')) option.defaultSelected = false;
  form.reset();
  form.closest('details')?.removeAttribute('open');
}

/* What the comment is about, as the reader chose it: it stays while the page shows the same finding or thread. */
const CHOSEN = '[data-pin], [data-pinned], #new-cycle, input[name=field]';
let isSameComposer = false;

function staysChosen(old, fresh) {
  if (!(old instanceof Element)) return false;
  if (old.matches('[data-composer-form]'))
    isSameComposer = old.dataset.of === fresh.dataset.of && old.action === fresh.action;
  return isSameComposer && old.matches(CHOSEN) && Boolean(old.closest('[data-composer-form]'));
}

/** Return whether a field holds something else than the page came with. */
export function isTouched(field) {
  if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
  if (!field.options) return field.value !== field.defaultValue;
  return (
    field.selectedIndex !==
    Math.max(
      0,
      [...field.options].findIndex((one) => one.defaultSelected),
    )
  );
}

/* A morph may not take away what the reader is doing: what was typed or chosen, an open editor or dialog, the mark of a new comment. */
function protect() {
  const morph = window.Idiomorph?.defaults.callbacks;
  if (!morph || morph.threads) return;
  const { beforeNodeMorphed, beforeNodeRemoved, beforeAttributeUpdated } = morph;
  morph.threads = true;
  morph.beforeNodeMorphed = (old, fresh) => {
    if (old instanceof Element && old.matches(TYPED) && old.closest(LIVE) && isTouched(old)) return false;
    /* An effect that was fetched stays. */
    if (old instanceof Element && old.matches('.rv-effect.is-loaded') && old.id === fresh.id) return false;
    if (staysChosen(old, fresh)) return false;
    return beforeNodeMorphed(old, fresh);
  };
  morph.beforeNodeRemoved = (node) => !(node instanceof HTMLDialogElement && node.open) && beforeNodeRemoved(node);
  morph.beforeAttributeUpdated = (name, node, kind) => {
    if (name === 'selected' && node.closest('.rv-suggest')) return false;
    if (name === 'open' && node.matches(':is([data-poll], [data-topic]) :is(details, dialog)')) return false;
    if (name === 'class' && node.matches('[data-poll] .is-new, [data-poll] .is-open')) return false;
    return beforeAttributeUpdated(name, node, kind);
  };
}

/* The thread that the address names is opened once, when it arrives: a fragment may come later than the page. */
let wanted = /^#thread-\d+$/.test(location.hash) ? location.hash : '';

function openWanted() {
  const thread = wanted && document.querySelector(wanted);
  if (!thread) return;
  wanted = '';
  thread.classList.add('is-open');
  thread.scrollIntoView({ block: 'nearest' });
  thread.focus({ preventScroll: true });
}

/** Keep threads alive on this page; called after htmx and its morphing were set up. */
export function startThreads() {
  on('input', 'textarea[data-draft]', keepDraft);
  document.addEventListener('submit', (ev) => {
    if (!ev.target.hasAttribute('hx-post'))
      for (const field of ev.target.querySelectorAll('textarea[data-draft]'))
        sessionStorage.removeItem(draftKey(field));
  });
  on('keydown', 'textarea:is([data-draft], #ask-text, #ask-people)', ({ form }, ev) => {
    // With Shift as well it is the verdict.
    if (ev.key !== 'Enter' || !(ev.ctrlKey || ev.metaKey) || ev.shiftKey) return;
    ev.preventDefault();
    form.requestSubmit(form.querySelector('.btn-primary, button:not([name="keep"], [type="button"])'));
  });
  document.addEventListener('htmx:afterRequest', (ev) => {
    const form = ev.detail.elt;
    if (ev.detail.successful && form.matches?.('form[hx-post]') && form.querySelector('textarea')) sent(form);
  });
  document.addEventListener('htmx:afterSettle', (ev) => {
    const root = ev.detail.elt.isConnected ? (ev.detail.elt.parentNode ?? document) : document;
    restoreDrafts(root);
    openWanted();
  });
  window.addEventListener('hashchange', () => {
    wanted = /^#thread-\d+$/.test(location.hash) ? location.hash : '';
    openWanted();
  });
  document.addEventListener('visibilitychange', () => poll('[data-poll]'));
  setInterval(() => poll('[data-poll]'), EVERY_MS);
  setInterval(() => poll('[data-slow-poll]'), SLOW_MS);

  protect();
  startMentions();
  startUndoing();
  restoreDrafts(document);
  openWanted();
}
