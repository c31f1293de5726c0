/* The YAML editor: Ace on top of a text area, judged by the server while one types. Without it the text area does. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { currentTheme } from '../common/theme.js';
import { THEMES, makeEditor } from './yaml/ace.js';
import { fixLine, mark, write } from './yaml/fixes.js';
import { load, readAs } from './yaml/guide.js';
import { showMeanings } from './yaml/saying.js';
import { on } from '../common/on.js';

const WAIT_MS = 450;

function annotate(editor) {
  const found = [...document.querySelectorAll('[data-finding][data-line]')];
  const wrong = document.querySelectorAll('[data-finding][data-severity="error"]').length;
  for (const button of document.querySelectorAll('[data-needs-valid]')) {
    button.disabled = wrong > 0;
    button.title = wrong ? `Correct ${wrong === 1 ? 'the error' : `the ${wrong} errors`} first` : '';
  }
  editor.session.setAnnotations(
    found.map((node) => ({
      row: Number(node.dataset.line) - 1,
      text: node.querySelector('[data-message]').textContent,
      type: node.dataset.severity === 'error' ? 'error' : 'warning',
    })),
  );
  mark(editor);
  if (editor.isFocused()) requestAnimationFrame(() => show(editor));
}

/* Findings take room from the text; the line that is being written stays in sight. */
function show(editor) {
  editor.resize();
  editor.renderer.scrollCursorIntoView();
}

/* Folds what the server named: lines that nobody schedules by. They stay in the text. */
function fold(editor, ranges) {
  const { Range } = window.ace.require('ace/range');
  for (const range of ranges.split(',').filter(Boolean).reverse()) {
    const [first, last] = range.split('-').map(Number);
    const from = editor.session.getLine(first - 1).length;
    const to = editor.session.getLine(last - 1).length;
    editor.session.addFold(`${last - first} lines`, new Range(first - 1, from, last - 1, to));
  }
}

function goTo(editor, line) {
  editor.gotoLine(line, 0, false);
  editor.scrollToLine(line - 1, true, false);
  // The first line is shown whole; before the first paint there is no height of a line yet.
  const lines = editor.renderer.getScrollTop() / editor.renderer.lineHeight;
  if (Number.isFinite(lines)) editor.renderer.scrollToY(Math.floor(lines) * editor.renderer.lineHeight);
  editor.focus();
}

function nextFinding(editor) {
  const rows = [...new Set(editor.session.getAnnotations().map((one) => one.row))].sort((a, b) => a - b);
  if (!rows.length) return;
  const here = editor.getCursorPosition().row;
  goTo(editor, (rows.find((row) => row > here) ?? rows[0]) + 1);
}

/* One question at a time; an answer to an older text is dropped. */
function watch(editor, area) {
  const state = document.querySelector('[data-check-state]');
  let timer = 0;
  let asked = null;
  const ask = async () => {
    asked?.abort();
    asked = new AbortController();
    const body = new FormData(area.form);
    body.set('text', editor.getValue());
    try {
      const answer = await fetch(area.dataset.validate, {
        method: 'POST',
        body,
        headers: csrfHeaders(),
        signal: asked.signal,
      });
      if (!answer.ok) throw new Error(String(answer.status));
      const part = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (open?.editor !== editor) return;
      document.getElementById('findings').replaceWith(part.getElementById('findings'));
      annotate(editor);
      if (state) state.textContent = '';
    } catch (problem) {
      if (problem.name === 'AbortError' || open?.editor !== editor) return;
      if (state) state.textContent = 'not checked: the server did not answer';
      // Saving judges the text again.
      for (const button of document.querySelectorAll('[data-needs-valid]')) button.disabled = false;
    }
  };
  const later = () => {
    clearTimeout(timer);
    if (open?.editor !== editor) return;
    if (state) state.textContent = 'checking';
    timer = setTimeout(ask, WAIT_MS);
  };
  editor.session.on('change', later);
  document.querySelector('[data-recheck]')?.addEventListener('change', later);
}

/* Texts that somebody left without putting them into the draft, by the object that they are of: a page that shows another
   object in between gives them back. */
const left = new Map();
let sent = false;
let open = null;

const nameOf = (area) => ['kind', 'ns', 'name'].map((name) => area.form.elements[name]?.value ?? '').join('/');

function start(area) {
  const editor = makeEditor(area);
  const first = area.value;
  readAs(area.dataset.guideDocument ?? '');
  const meanings = area.dataset.guide ? showMeanings(editor, editor.container) : null;
  if (meanings) load(area.dataset.guide).then(() => open?.editor === editor && meanings.say());
  open = { area, editor, first, name: nameOf(area), meanings };
  const kept = left.get(open.name);
  if (kept && kept.seen === area.form.elements.seen?.value) editor.setValue(kept.text, -1);
  left.delete(open.name);
  if (!kept) fold(editor, area.dataset.folds ?? '');
  annotate(editor);
  area.form.addEventListener(
    'submit',
    () => {
      area.value = editor.getValue();
      sent = true;
    },
    true,
  );
  if (area.dataset.validate && !area.readOnly) watch(editor, area);
  if (area.dataset.line) goTo(editor, Number(area.dataset.line));
  window.schedscopeEditor = editor;
}

const isChanged = () => open !== null && open.editor.getValue() !== open.first;

/* Another object came into the page, or none. */
function change() {
  const area = document.querySelector('[data-editor]');
  if (area === (open?.area ?? null)) return;
  if (isChanged()) {
    left.set(open.name, { text: open.editor.getValue(), seen: open.area.form.elements.seen?.value });
  }
  open?.meanings?.remove();
  open?.editor.destroy();
  open = null;
  window.schedscopeEditor = null;
  if (area && window.ace) start(area);
}

function listen() {
  window.addEventListener('beforeunload', (ev) => {
    if (!sent && (left.size > 0 || isChanged())) ev.preventDefault();
  });
  document.addEventListener('look', () => open?.editor.setTheme(THEMES[currentTheme()]));
  on('click', '[data-goto]', (button) => open && goTo(open.editor, Number(button.dataset.goto)));
  on('click', '[data-write-fix]', (fix) => {
    if (open && !open.area.readOnly) write(open.editor, fix.closest('[data-finding]'));
  });
  document.addEventListener('keydown', (ev) => {
    if (ev.altKey && ev.key === 'F8' && open) {
      ev.preventDefault();
      nextFinding(open.editor);
    } else if (ev.altKey && ev.key === 'Enter' && open?.editor.isFocused() && !open.area.readOnly) {
      if (fixLine(open.editor)) ev.preventDefault();
    }
  });
  // The page of a configuration has its findings from elsewhere.
  window.addEventListener('checked', () => open && annotate(open.editor));
  document.addEventListener('htmx:afterSwap', change);
}

listen();
change();
