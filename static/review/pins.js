/* Comments on the things of a run, wherever a page links to their threads: how many there are, the threads in a dialog, and
 * the key C for what is selected. Without scripts the links lead to pages. */
import { icon } from '../common/icons.js';
import { isForPage } from '../common/keyboard.js';
import { threadMarks } from '../common/thread-marks.js';
import { thingOf } from '../debugger/cells.js';
import { cellOf, chosenRow, keyOf, keyOfLink } from './things.js';
import { isPlainClick, on } from '../common/on.js';

let marks = new Map();
let things = [];
let dialog = null;

const track = () => document.querySelector('[data-threads-url]');

async function load(question) {
  const url = track()?.dataset.threadsUrl;
  if (!url) return;
  const answer = await threadMarks(url, question);
  if (!answer) return;
  const { things: there, cycles } = answer;
  things = there;
  marks = new Map([
    ...cycles.map((one) => [keyOf({ cycle: one.cycle }), one]),
    ...there.map((one) => [keyOf(one), one]),
  ]);
  paint();
}

function said({ open, threads }) {
  return `${threads} ${threads === 1 ? 'thread' : 'threads'}, ${open} open`;
}

function paintLinks() {
  for (const link of document.querySelectorAll('a[data-thing]')) {
    const mark = marks.get(keyOfLink(link));
    const count = link.querySelector('b');
    if (!count) continue;
    const text = mark ? String(mark.threads) : '';
    if (count.textContent === text) continue;
    count.textContent = text;
    count.hidden = !mark;
    link.classList.toggle('has-threads', Boolean(mark));
    link.title = mark ? `${said(mark)}: ${link.dataset.thing}` : `Comment on ${link.dataset.thing}`;
  }
}

/* Verdicts and scores with threads, in the matrix that is shown. */
function paintCells() {
  const inspector = document.getElementById('inspector');
  for (const old of inspector?.querySelectorAll('.pin-mark') ?? []) old.remove();
  const shown = Number(inspector?.dataset.shown ?? 0);
  /* A review has numbers there instead. */
  for (const thing of track() ? things : []) {
    if (!thing.plugin || thing.cycle !== shown) continue;
    const row = inspector.querySelector(`tr[data-node="${CSS.escape(thing.node)}"]`);
    if (!row) continue;
    const link = linkTo(thing);
    link.className = 'pin-mark';
    link.textContent = String(thing.threads);
    link.title = said(thing);
    link.setAttribute('aria-label', `${said(thing)} on the ${link.dataset.thing}`);
    cellOf(row, thing.plugin, thing.kind).append(link);
  }
}

/* The way to the threads on a verdict or a score of the inspector's cycle. */
function linkTo({ kind, cycle, plugin, node }) {
  const link = document.createElement('a');
  const address = document.getElementById('inspector').dataset.things;
  link.href = `${address}?${new URLSearchParams({ kind, cycle, plugin, node })}`;
  link.dataset.thing = `${kind} of ${plugin} on ${node}`;
  return link;
}

/* That of the cell with the focus. */
function linkOfCell() {
  const cell = document.activeElement?.closest?.('#inspector [data-matrix] tbody td');
  const thing = cell && thingOf(cell);
  const { things: address, shown } = document.getElementById('inspector')?.dataset ?? {};
  if (!thing || !address) return null;
  const link = linkTo({ ...thing, cycle: shown });
  link.hidden = true;
  cell.append(link);
  queueMicrotask(() => link.remove());
  return link;
}

function paint() {
  paintLinks();
  paintCells();
}

function makeDialog() {
  const made = document.createElement('dialog');
  made.className = 'dialog pin-dialog';
  made.setAttribute('aria-labelledby', 'pin-title');
  const head = document.createElement('header');
  head.className = 'dialog-head';
  const title = document.createElement('h2');
  title.id = 'pin-title';
  title.className = 'cut';
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'btn btn-sm btn-quiet btn-icon push';
  close.setAttribute('aria-label', 'Close');
  close.append(icon('x'));
  close.addEventListener('click', () => made.close());
  head.append(title, close);
  const body = document.createElement('div');
  body.className = 'dialog-body';
  made.append(head, body);
  /* What is shown belongs to one thing: it does not go on asking for its threads. */
  made.addEventListener('close', () => body.replaceChildren());
  document.body.append(made);
  return made;
}

async function show(link) {
  dialog ??= makeDialog();
  const body = dialog.querySelector('.dialog-body');
  dialog.querySelector('h2').textContent = `Threads on ${link.dataset.thing}`;
  if (!dialog.open) dialog.showModal();
  await window.htmx.ajax('GET', link.href, { target: body, swap: 'innerHTML' });
  if (dialog.open) body.querySelector('textarea')?.focus();
}

/** Show the threads of things on this page, and open one by a press or by C. */
export function startPins() {
  on('click', 'a[data-thing]', (link, ev) => {
    if (!isPlainClick(ev)) return;
    ev.preventDefault();
    show(link);
  });
  /* Before the page's own C, which comments on the cycle. */
  document.addEventListener(
    'keydown',
    (ev) => {
      if (ev.key !== 'c' || !isForPage(ev)) return;
      const link = chosenRow(document)?.querySelector('a[data-thing], a[data-field-pin]') ?? linkOfCell();
      if (!link) return;
      ev.preventDefault();
      ev.stopImmediatePropagation();
      link.click();
    },
    true,
  );
  document.addEventListener('cursor:moved', paint);
  document.addEventListener('htmx:afterSettle', paint);
  document.body.addEventListener('threads-changed', () => load());
  load({ isFirst: true });
}
