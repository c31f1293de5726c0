/* The field of a query: words painted by kind, completions at the caret, the wrong part underlined. */
import { icon } from '../common/icons.js';
import { pieces } from './words.js';
import { on } from '../common/on.js';

const PAUSE_MS = 60;
const LOOKS = {
  subject: 'q-subject',
  word: 'q-word',
  field: 'q-field',
  operator: 'q-operator',
  value: 'q-value',
};
const LIST_WIDTH = 420;
const HINTS = [
  [['Tab'], 'take'],
  [['↑', '↓'], 'choose'],
  [['F1'], 'all fields'],
];

class QueryField {
  constructor(root) {
    this.root = root;
    this.input = root.querySelector('input');
    this.paintBox = root.querySelector('.qfield-paint');
    this.list = root.querySelector('[role="listbox"]');
    this.line = root.querySelector('.qfield-error');
    this.items = [];
    this.at = -1;
    this.turn = 0;
    this.error = this.errorOfPage();
    root.classList.add('is-painted');
    this.listen();
    this.paint();
  }

  /** What the server said of the text that the page came with. */
  errorOfPage() {
    const { errorColumn, errorEnd } = this.root.dataset;
    return errorColumn
      ? { column: Number(errorColumn), end: Number(errorEnd), text: this.line.textContent.trim() }
      : null;
  }

  listen() {
    const { input } = this;
    input.addEventListener('input', () => this.written());
    input.addEventListener('scroll', () => this.scrolled());
    input.addEventListener('keydown', (ev) => this.key(ev));
    input.addEventListener('click', () => this.close());
    input.addEventListener('blur', () => {
      this.close();
      this.ask(false);
    });
    this.list.addEventListener('pointerdown', (ev) => {
      ev.preventDefault();
      const row = ev.target.closest('[role="option"]');
      if (row) this.take(Number(row.dataset.number));
    });
  }

  // ---------------------------------------------------------------- painting

  paint() {
    const { value } = this.input;
    const wrong = this.error;
    let column = 1;
    const spans = [];
    for (const [text, kind] of pieces(value)) {
      for (const [part, isWrong] of cutAt(text, column, wrong)) {
        const span = document.createElement('span');
        span.className = [LOOKS[kind], isWrong && 'q-wrong'].filter(Boolean).join(' ');
        span.textContent = part;
        spans.push(span);
      }
      column += text.length;
    }
    if (wrong && wrong.column > value.length) {
      const span = document.createElement('span');
      span.className = 'q-wrong';
      span.textContent = ' ';
      spans.push(span);
    }
    this.paintBox.replaceChildren(...spans);
    this.scrolled();
  }

  scrolled() {
    this.paintBox.style.transform = `translateX(${-this.input.scrollLeft}px)`;
  }

  show(error) {
    this.error = error;
    this.line.textContent = error ? error.text : '';
    this.line.title = this.line.textContent;
    if (error) this.input.setAttribute('aria-invalid', 'true');
    else this.input.removeAttribute('aria-invalid');
    this.paint();
  }

  // ---------------------------------------------------------------- asking

  written() {
    // What stood below was said of another text.
    this.show(null);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(true), PAUSE_MS);
  }

  async ask(isOpening) {
    const turn = ++this.turn;
    const { value, selectionStart } = this.input;
    const column = selectionStart + 1;
    const query = new URLSearchParams({ q: value, column, run: this.root.dataset.run });
    const answer = await fetch(`${this.root.dataset.url}?${query}`).catch(() => null);
    if (!answer?.ok || turn !== this.turn || value !== this.input.value) return;
    const { items, error } = await answer.json();
    if (turn !== this.turn || value !== this.input.value) return;
    const isFocused = document.activeElement === this.input;
    // A word that is being written is not wrong yet.
    const isWritten = isFocused && error && error.end >= value.trimEnd().length + 1 && column >= error.column;
    this.show(isWritten ? null : (error ?? null));
    if (isOpening && isFocused) this.open(items);
  }

  // ---------------------------------------------------------------- the list

  open(items) {
    this.items = items;
    if (!items.length) {
      this.close();
      return;
    }
    const rows = document.createElement('div');
    rows.className = 'qfield-rows thin';
    rows.setAttribute('role', 'presentation');
    rows.append(...items.map((item, number) => this.row(item, number)));
    this.list.replaceChildren(rows, foot());
    this.list.hidden = false;
    this.input.setAttribute('aria-expanded', 'true');
    this.place(items[0].column);
    this.choose(0);
  }

  row({ text, kind, help }, number) {
    const row = document.createElement('div');
    row.className = 'qfield-row';
    row.id = `${this.list.id}-${number}`;
    row.dataset.number = String(number);
    row.setAttribute('role', 'option');
    const code = document.createElement('code');
    code.textContent = text;
    const sub = document.createElement('span');
    sub.className = 'sub';
    sub.textContent = help;
    sub.title = help;
    const mark = icon(kind === 'value' ? 'dot' : kind === 'subject' ? 'play' : 'right');
    mark.classList.add('i-12');
    row.append(mark, code, sub);
    return row;
  }

  /** Put the list under the column, as far as it stays inside of the field. */
  place(column) {
    const box = this.input.getBoundingClientRect();
    const width = this.paintBox.getBoundingClientRect();
    const letter = this.input.value ? widthOf(this.paintBox) / this.input.value.length : 0;
    const left = box.left - this.root.getBoundingClientRect().left + (column - 1) * letter + (width.left - box.left);
    const most = this.root.clientWidth - Math.min(LIST_WIDTH, this.root.clientWidth);
    this.list.style.left = `${Math.max(0, Math.min(left, most))}px`;
  }

  choose(number) {
    const rows = [...this.list.querySelectorAll('[role="option"]')];
    this.at = (number + rows.length) % rows.length;
    rows.forEach((row, one) => row.setAttribute('aria-selected', String(one === this.at)));
    rows[this.at].scrollIntoView({ block: 'nearest' });
    this.input.setAttribute('aria-activedescendant', rows[this.at].id);
  }

  close() {
    clearTimeout(this.timer);
    this.items = [];
    this.list.hidden = true;
    this.hasChosen = false;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
  }

  take(number) {
    const { input } = this;
    const { text, kind, column } = this.items[number];
    const before = input.value.slice(0, column - 1);
    const after = input.value.slice(input.selectionStart);
    const isOver = ['value', 'flag', 'word', 'subject'].includes(kind);
    const blank = isOver && !/^[\s)]/.test(after) ? ' ' : '';
    input.value = `${before}${text}${blank}${after}`;
    const caret = before.length + text.length + blank.length;
    input.setSelectionRange(caret, caret);
    this.close();
    input.focus();
    input.scrollLeft = input.scrollWidth;
    this.written();
    input.dispatchEvent(new CustomEvent('query:taken', { bubbles: true }));
  }

  // ---------------------------------------------------------------- keys

  key(ev) {
    if (ev.isComposing) return;
    const isOpen = !this.list.hidden;
    if (ev.key === 'F1') showFields(this.root.dataset.fieldsUrl);
    else if (ev.key === 'ArrowDown' && !isOpen) this.ask(true);
    else if (isOpen && (ev.key === 'ArrowDown' || ev.key === 'ArrowUp')) {
      this.hasChosen = true;
      this.choose(this.at + (ev.key === 'ArrowDown' ? 1 : -1));
    } else if (isOpen && ev.key === 'Tab' && !ev.shiftKey) this.take(this.at);
    else if (isOpen && ev.key === 'Enter' && this.hasChosen) this.take(this.at);
    else if (isOpen && ev.key === 'Escape') this.close();
    else {
      if (ev.key === 'Enter') this.close();
      return;
    }
    ev.preventDefault();
    ev.stopPropagation();
  }
}

/* The parts of a piece that begins at the column: [text, whether it is wrong]. */
function cutAt(text, column, wrong) {
  if (!wrong) return [[text, false]];
  const from = Math.min(Math.max(wrong.column - column, 0), text.length);
  const to = Math.min(Math.max(wrong.end - column, 0), text.length);
  return [
    [text.slice(0, from), false],
    [text.slice(from, to), true],
    [text.slice(to), false],
  ].filter(([part]) => part);
}

function widthOf(box) {
  const range = document.createRange();
  range.selectNodeContents(box);
  return range.getBoundingClientRect().width;
}

function foot() {
  const made = document.createElement('div');
  made.className = 'qfield-foot';
  made.setAttribute('aria-hidden', 'true');
  for (const [keys, word] of HINTS) {
    const hint = document.createElement('span');
    hint.className = 'row-tight';
    for (const key of keys) {
      const cap = document.createElement('kbd');
      cap.textContent = key;
      hint.append(cap);
    }
    hint.append(` ${word}`);
    made.append(hint);
  }
  return made;
}

/** Show the list of all fields over the page. */
export async function showFields(url) {
  let dialog = document.getElementById('query-fields');
  if (!dialog) {
    const answer = await fetch(url, { headers: { 'HX-Request': 'true' } }).catch(() => null);
    if (!answer?.ok) return;
    dialog = document.createElement('dialog');
    dialog.className = 'dialog qfields-dialog';
    dialog.id = 'query-fields';
    dialog.setAttribute('aria-label', 'Fields of queries');
    const head = document.createElement('div');
    head.className = 'dialog-head';
    const title = document.createElement('h2');
    title.textContent = 'Fields of queries';
    const shut = document.createElement('button');
    shut.type = 'button';
    shut.className = 'btn btn-sm btn-quiet push';
    shut.textContent = 'Close';
    shut.addEventListener('click', () => dialog.close());
    head.append(title, shut);
    const body = document.createElement('div');
    body.className = 'dialog-body thin';
    body.tabIndex = 0;
    body.replaceChildren(...new DOMParser().parseFromString(await answer.text(), 'text/html').body.childNodes);
    dialog.append(head, body);
    document.body.append(dialog);
  }
  if (!dialog.open) dialog.showModal();
}

const started = new WeakMap();

/** Start all fields below a node that are not started yet. */
export function startQueryFields(place = document) {
  for (const root of place.querySelectorAll('[data-query-field]')) {
    if (!started.has(root)) started.set(root, new QueryField(root));
  }
}

startQueryFields();
document.addEventListener('htmx:load', (ev) => startQueryFields(ev.target.parentElement ?? document));
on('click', '[data-show-fields]', (link, ev) => {
  ev.preventDefault();
  showFields(link.href ?? link.dataset.showFields);
});
