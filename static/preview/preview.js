/* What would change: computes it in turns for the text as it was when the button was pressed, until it is complete or
   cancelled; pages of the answer are asked for with the same text. */
import { csrfHeaders } from '../common/htmx-setup.js';

const panel = document.querySelector('[data-preview-ask]')?.closest('[data-preview]');

function start() {
  const form = document.getElementById(panel.dataset.previewForm);
  const cluster = panel.querySelector('#preview-cluster');
  const press = panel.querySelector('[data-preview-ask]');
  const cancel = panel.querySelector('[data-preview-cancel]');
  const old = panel.querySelector('[data-preview-old]');
  const asker = crypto.randomUUID();
  let shown = null;
  let asked = null;
  let timer = 0;

  const answer = () => document.getElementById('preview-answer');
  const text = () => window.schedscopeEditor?.getValue() ?? form.elements.text.value;

  function say(words) {
    const note = Object.assign(document.createElement('p'), { className: 'preview-note', textContent: words });
    note.setAttribute('role', 'status');
    answer().replaceChildren(note);
  }

  function rest() {
    press.disabled = false;
    cancel.hidden = true;
  }

  function stop() {
    clearTimeout(timer);
    asked?.abort();
    asked = null;
    rest();
  }

  function compareTexts() {
    const isOld = shown !== null && (shown.text !== text() || shown.cluster !== cluster.value);
    old.hidden = !isOld;
    answer().classList.toggle('is-old', isOld);
  }

  function show(html) {
    const part = new DOMParser().parseFromString(html, 'text/html').getElementById('preview-answer');
    answer().replaceWith(part);
    compareTexts();
    if (part.dataset.previewState === 'waiting') {
      timer = setTimeout(() => ask(part.dataset.previewAgain), Number(part.dataset.previewPause));
    } else rest();
  }

  async function ask(fields = '') {
    asked?.abort();
    const mine = (asked = new AbortController());
    press.disabled = true;
    cancel.hidden = false;
    const body = new FormData();
    body.set('text', shown.text);
    body.set('preview_on', shown.cluster);
    body.set('before', panel.dataset.previewDocument || panel.dataset.previewPreset);
    body.set('asker', asker);
    for (const [name, value] of new URLSearchParams(fields)) body.set(name, value);
    try {
      const reply = await fetch(panel.dataset.preview, {
        method: 'POST',
        body,
        headers: csrfHeaders(),
        signal: mine.signal,
      });
      if (!reply.ok) {
        throw new Error(decodeURIComponent(reply.headers.get('X-Problem') ?? `The server answered ${reply.status}.`));
      }
      show(await reply.text());
    } catch (problem) {
      if (problem.name === 'AbortError') return;
      say(problem instanceof TypeError ? 'Not computed: the server could not be reached.' : problem.message);
      rest();
    }
  }

  press.addEventListener('click', () => {
    stop();
    shown = { text: text(), cluster: cluster.value };
    compareTexts();
    say('Being computed');
    ask();
  });
  cancel.addEventListener('click', () => {
    stop();
    say('Cancelled.');
  });
  panel.addEventListener('click', (ev) => {
    const more = ev.target.closest('[data-preview-more]');
    if (more) ask(more.dataset.previewMore);
  });
  cluster.addEventListener('change', compareTexts);
  form.elements.text.addEventListener('input', compareTexts);
  window.schedscopeEditor?.session.on('change', compareTexts);
  press.disabled = false;
}

if (panel) start();
