/* Would it fit: lights the map with the panel's answer, and asks anew while somebody types in the editor beside it.
   Told on the document: fit:lit ({pod, nodes: [{node, fits, score, reason}]}), and fit:clear where there is no answer. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { drawCells } from './cells.js';
import { nodesOf } from './lit.js';

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
    const told = JSON.parse(held.textContent);
    const nodes = nodesOf(told);
    if (panel.dataset.fitTyped) drawCells(document.querySelector('.fit-cells'), nodes);
    document.dispatchEvent(new CustomEvent('fit:lit', { detail: { pod: told.pod, nodes } }));
  } else if (state === 'failed' && lit) {
    lit = null;
    document.dispatchEvent(new CustomEvent('fit:clear'));
  }
}

/* ---------- while somebody types ---------- */

function typing() {
  const form = document.getElementById(panel.dataset.fitForm);
  const note = panel.querySelector('[data-fit-note]');
  const asker = crypto.randomUUID();
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
      document.getElementById('fit-answer').replaceWith(shown);
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

if (panel) {
  if (panel.dataset.fitTyped) typing();
  else {
    document.addEventListener('htmx:afterSettle', tell);
    tell();
  }
}
