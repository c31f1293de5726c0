/* Would it fit: lights the map with the panel's answer, and asks again while somebody types in the editor beside it.
   On the cluster's page a pod that waits is asked about when it is selected on the map.
   Told on the document: fit:lit ({pod, nodes: [{node, fits, score, reason}]}), and fit:clear where there is no answer. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { newToken } from '../common/token.js';
import { drawCells } from './cells.js';
import { litOf, nodesOf } from './lit.js';

const WAIT_MS = 40;
const SLOW_MS = 150;

const panel = document.querySelector('[data-fit]');
let lit = null;

/* ---------- what the panel holds ---------- */

function tell() {
  const held = document.querySelector('[data-fit-lit]');
  const state = document.querySelector('[data-fit-answer]')?.dataset.fitState;
  if (held) {
    if (held === lit) return;
    lit = held;
    const detail = litOf(JSON.parse(held.textContent));
    if (panel.dataset.fitTyped) drawCells(document.querySelector('.fit-cells'), detail.nodes);
    document.dispatchEvent(new CustomEvent('fit:lit', { detail }));
  } else if (state !== 'answer' && lit) {
    lit = null;
    document.dispatchEvent(new CustomEvent('fit:clear'));
  }
}

/* ---------- while somebody types ---------- */

function typing() {
  const form = document.getElementById(panel.dataset.fitForm);
  const note = panel.querySelector('[data-fit-note]');
  const asker = newToken();
  let asked = null;
  let timer = 0;
  let order = '';

  const text = () => window.schedscopeEditor?.getValue() ?? form.elements.text.value;

  function say(words) {
    note.textContent = words;
    note.hidden = !words;
  }

  function show(answer) {
    const part = new DOMParser().parseFromString(answer, 'text/html');
    const shown = part.querySelector('[data-fit-state]');
    const state = shown.dataset.fitState;
    if (state === 'invalid') {
      say(shown.textContent.trim());
    } else if (state === 'waiting' && lit) {
      say(shown.textContent.trim());
    } else {
      say('');
      const focused = document.activeElement.id;
      document.getElementById('fit-answer').replaceWith(shown);
      // A head or a page that was pressed is another element now.
      if (document.activeElement === document.body) document.getElementById(focused)?.focus();
      tell();
    }
    if (state === 'waiting') {
      timer = setTimeout(() => ask(shown.dataset.fitAgain), Number(shown.dataset.fitPause));
    }
    return state === 'invalid' || (state === 'waiting' && lit !== null);
  }

  async function ask(more = '') {
    asked?.abort();
    const mine = (asked = new AbortController());
    const answer = () => document.getElementById('fit-answer');
    const slow = setTimeout(() => answer().classList.add('is-old'), SLOW_MS);
    const body = new FormData(form);
    body.set('text', text());
    body.set('asker', asker);
    if (panel.dataset.fitPod) body.set('fit', panel.dataset.fitPod);
    if (panel.dataset.fitRevision) body.set('r', panel.dataset.fitRevision);
    for (const [name, value] of new URLSearchParams([order, more].filter(Boolean).join('&'))) body.set(name, value);
    try {
      const reply = await fetch(panel.dataset.fitTyped, {
        method: 'POST',
        body,
        headers: csrfHeaders(),
        signal: mine.signal,
      });
      if (!reply.ok) throw new Error(String(reply.status));
      const isOld = show(await reply.text());
      clearTimeout(slow);
      answer().classList.toggle('is-old', isOld);
    } catch (problem) {
      clearTimeout(slow);
      if (problem.name === 'AbortError') return;
      answer().classList.add('is-old');
      say('Not answered: the server could not be reached. What stands below is the last answer.');
    }
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      order = '';
      ask();
    }, WAIT_MS);
  }

  if (window.schedscopeEditor) window.schedscopeEditor.session.on('change', later);
  else form.elements.text.addEventListener('input', later);
  panel.addEventListener('click', (ev) => {
    const link = ev.target.closest('[data-fit-ask]');
    if (!link) return;
    order = link.dataset.fitAsk;
    ask();
  });
  document.addEventListener('look', () => {
    if (lit) drawCells(panel.querySelector('.fit-cells'), nodesOf(JSON.parse(lit.textContent)));
  });
  ask();
}

/* ---------- while somebody selects on the map ---------- */

function following() {
  const field = panel.querySelector('[name=fit]');
  // What the address says: a browser fills the field with what it had before the page was reloaded.
  let asked = panel.dataset.fitAsked;
  let request = null;

  function show(part) {
    document.getElementById('fit-answer').replaceWith(part);
    window.htmx.process(part);
    tell();
  }

  async function ask(pod) {
    asked = field.value = pod;
    request?.abort();
    const mine = (request = new AbortController());
    const url = new URL(panel.dataset.fitPage, location.href);
    url.searchParams.set('fit', pod);
    try {
      const reply = await fetch(url, { headers: { 'HX-Request': 'true' }, signal: mine.signal });
      if (!reply.ok) throw new Error(String(reply.status));
      const part = new DOMParser().parseFromString(await reply.text(), 'text/html');
      show(part.getElementById('fit-answer'));
    } catch (problem) {
      if (problem.name === 'AbortError') return;
      const note = Object.assign(document.createElement('p'), { className: 'fit-note', role: 'status' });
      note.textContent = 'Not answered: the server could not be reached.';
      const part = Object.assign(document.createElement('div'), { id: 'fit-answer', className: 'fit-answer' });
      part.dataset.fitAnswer = '';
      part.replaceChildren(note);
      show(part);
    }
  }

  // The card names the pod that waits; with none selected, the address may name one.
  document.addEventListener('map:selected', () => {
    const pod = document.querySelector('#map-selected [data-fit-pod]')?.dataset.fitPod ?? panel.dataset.fitAsked;
    if (pod !== asked) ask(pod);
  });
  // The draft changed, and so may the answer.
  document.addEventListener('draftfollowed', () => asked && ask(asked));
  // An answer about the pod that was selected before.
  panel.addEventListener('htmx:beforeSwap', (ev) => {
    const url = new URL(ev.detail.pathInfo.requestPath, location.href);
    if (url.searchParams.get('fit') !== asked) ev.detail.shouldSwap = false;
  });
}

if (panel) {
  if (panel.dataset.fitTyped) typing();
  else {
    document.addEventListener('htmx:afterSettle', tell);
    if (panel.dataset.fitPage) following();
    tell();
  }
}
