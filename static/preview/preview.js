/* What would change: has it computed for the text as it is, by W or the button, and by itself after each edit that has no
   error where that is quick; then asks how far it is until it has ended. The computation does not need the page: what
   others or earlier pages asked for is found again. An answer for another text or cluster stays, dimmed, until the next
   one is there. Pages of an answer are asked for with the same text. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { icon } from '../common/icons.js';
import { showTimes } from '../common/times.js';
import { problemIn } from '../common/problem.js';

const QUICK_SECONDS = 5;
const FEW_PODS = 1000;

const panel = document.querySelector('[data-preview-ask]')?.closest('[data-preview]');

function start() {
  const form = document.getElementById(panel.dataset.previewForm);
  const cluster = panel.querySelector('#preview-cluster');
  const press = panel.querySelector('[data-preview-ask]');
  const cancel = panel.querySelector('[data-preview-cancel]');
  const old = panel.querySelector('[data-preview-old]');
  const status = panel.querySelector('[data-preview-status]');
  const lastSeconds = new Map();
  const memory = `preview ${panel.dataset.previewDocument || panel.dataset.previewPreset}`;
  let shown = null;
  let asked = null;
  let timer = 0;
  let began = 0;
  /* The address that cancels what is computed now. */
  let cancels = '';
  let isAutomatic = true;
  /* Whether nobody pressed for what is computed now. */
  let isByItself = false;
  /* The text that the page has checked last; null before the first check. */
  let checked = null;

  const answer = () => document.getElementById('preview-answer');
  const text = () => window.schedscopeEditor?.getValue() ?? form.elements.text.value;
  const isFor = (one) => one !== null && one.text === text() && one.cluster === cluster.value;
  const mayNotBeTried = () =>
    (checked !== null && checked !== text()) ||
    document.querySelector('[data-config-page]').classList.contains('is-invalid');
  const isOpen = () => panel.offsetParent !== null;

  function isQuick() {
    const pods = Number(cluster.selectedOptions[0]?.dataset.pods ?? Infinity);
    return (lastSeconds.get(cluster.value) ?? (pods <= FEW_PODS ? 0 : Infinity)) <= QUICK_SECONDS;
  }

  function tell(words, meaning = '') {
    status.className = `preview-state say${meaning ? ` m-${meaning}` : ''}`;
    status.replaceChildren(...(meaning === 'bound' ? [icon('check')] : []), words);
  }

  function fail(words) {
    const note = Object.assign(document.createElement('p'), { className: 'preview-note', textContent: words });
    answer().replaceChildren(note);
    answer().classList.remove('is-old');
    old.hidden = true;
    tell('Not computed', 'error');
  }

  function rest() {
    press.disabled = false;
    cancel.hidden = true;
    cancels = '';
    asked = null;
  }

  function stop() {
    clearTimeout(timer);
    asked?.abort();
    rest();
  }

  /* What is shown, against what stands in the editor now. */
  function compareTexts() {
    const isOld = shown !== null && !isFor(shown);
    const isBusy = !cancel.hidden;
    old.hidden = !isOld || isBusy;
    answer().classList.toggle('is-old', isOld || (isBusy && began > 0));
    if (!isBusy && answer().dataset.previewState === 'answer') tell(isOld ? '' : 'Up to date', isOld ? '' : 'bound');
  }

  function remember() {
    try {
      sessionStorage.setItem(memory, JSON.stringify(shown));
    } catch {
      /* A text that is too long to be kept is asked for again by the button. */
    }
  }

  function show(html) {
    const parts = new DOMParser().parseFromString(html, 'text/html');
    const part = parts.getElementById('preview-answer');
    const state = part.dataset.previewState;
    showTimes(parts);
    showList(parts.getElementById('preview-results'));
    if (state === 'waiting') {
      cancels = part.dataset.previewCancels;
      cancel.hidden = false;
      const isKept = answer().dataset.previewState === 'answer';
      tell(isKept ? part.querySelector('[data-preview-progress]').textContent : 'Being computed');
      if (!isKept) answer().replaceWith(part);
      timer = setTimeout(() => send(part.dataset.previewAgain), Number(part.dataset.previewPause));
      return;
    }
    if (state === 'none') {
      shown = null;
      began = 0;
      rest();
      if (edited()) computeByItself();
      return;
    }
    answer().replaceWith(part);
    if (began && part.dataset.previewState === 'answer')
      lastSeconds.set(shown.cluster, (performance.now() - began) / 1000);
    began = 0;
    rest();
    if (state === 'cancelled') isAutomatic = false;
    if (state === 'answer') remember();
    else tell(state === 'cancelled' ? 'Cancelled' : 'Not computed', state === 'failed' ? 'error' : '');
    compareTexts();
    computeByItself();
  }

  /* The list of what was computed; what it asks for itself while anything is computed, htmx has to be told. */
  function showList(list) {
    const place = document.getElementById('preview-results');
    if (list === null || place === null) return;
    place.replaceWith(list);
    window.htmx.process(list);
  }

  function ask(fields = '') {
    press.disabled = true;
    cancel.hidden = false;
    const body = new FormData();
    body.set('text', shown.text);
    body.set('preview_on', shown.cluster);
    body.set('before', panel.dataset.previewDocument || panel.dataset.previewPreset);
    if (isByItself) body.set('automatic', '1');
    for (const [name, value] of new URLSearchParams(fields)) body.set(name, value);
    return send(panel.dataset.preview, body);
  }

  async function send(url, body = null) {
    clearTimeout(timer);
    asked?.abort();
    const mine = (asked = new AbortController());
    const post = body === null ? {} : { method: 'POST', body, headers: csrfHeaders() };
    try {
      const reply = await fetch(url, { ...post, signal: mine.signal });
      if (!reply.ok) throw new Error(problemIn(reply));
      const html = await reply.text();
      if (asked === mine) show(html);
    } catch (problem) {
      if (problem.name === 'AbortError') return;
      rest();
      fail(problem instanceof TypeError ? 'The server could not be reached.' : problem.message);
    }
  }

  function compute(byItself) {
    stop();
    isByItself = byItself;
    shown = { text: text(), cluster: cluster.value };
    began = performance.now();
    tell('Being computed');
    ask();
    compareTexts();
  }

  /* After an edit, once the page says that the text has no error. */
  function computeByItself() {
    if (isAutomatic && isOpen() && !mayNotBeTried() && isQuick() && cancel.hidden && !isFor(shown)) compute(true);
  }

  function onEdit() {
    compareTexts();
    if (!cancel.hidden && isQuick() && !isFor(shown)) stop();
  }

  press.addEventListener('click', () => {
    isAutomatic = true;
    compute(false);
  });
  cancel.addEventListener('click', () => {
    isAutomatic = false;
    if (cancels) {
      const body = new FormData();
      body.set('panel', '1');
      send(cancels, body);
      return;
    }
    stop();
    began = 0;
    shown = null;
    answer().replaceChildren();
    delete answer().dataset.previewState;
    compareTexts();
    tell('Cancelled');
  });
  panel.addEventListener('click', (ev) => {
    const more = ev.target.closest('[data-preview-more]');
    if (!more || ev.ctrlKey || ev.metaKey || ev.shiftKey) return;
    ev.preventDefault();
    ask(more.dataset.previewMore);
  });
  cluster.addEventListener('change', () => {
    isAutomatic = true;
    onEdit();
    if (shown !== null || text() !== initial) computeByItself();
  });
  /* Somebody may have typed before this script ran. */
  const initial = form.elements.text.defaultValue;
  const edited = () => text() !== initial || shown !== null;
  form.elements.text.addEventListener('input', onEdit);
  window.schedscopeEditor?.session.on('change', onEdit);
  window.addEventListener('checked', (ev) => {
    checked = ev.detail.text;
    if (edited()) computeByItself();
  });
  /* A key presses the tab by a click of its own. */
  document.querySelector('[data-dock-tab="preview"]')?.addEventListener('click', (ev) => {
    if (!ev.isTrusted && cancel.hidden && !isFor(shown)) press.click();
    else if (edited()) computeByItself();
  });
  press.disabled = false;

  const before = JSON.parse(sessionStorage.getItem(memory) ?? 'null');
  if (before?.text === text() && cluster.querySelector(`option[value="${CSS.escape(before.cluster)}"]`)) {
    cluster.value = before.cluster;
    compute(true);
  } else if (cluster.value) {
    /* Others may have asked about this text, or this page before it was closed. */
    shown = { text: text(), cluster: cluster.value };
    ask('look=1');
  }
}

if (panel) start();
