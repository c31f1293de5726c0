/* @name in texts: people of the workspace below the field while one types; quoting a comment into a reply.
 * Arrow keys choose, Enter or Tab takes, Escape leaves the text as it is. People are fetched once for a page. */
import { on } from '../common/on.js';

const AT = /(?:^|[\s(])@([a-z0-9-]{0,40})$/i;
const SHOWN = 6;

const peopleOf = new Map();
let list = null;
let field = null;

function people(url) {
  if (!peopleOf.has(url))
    peopleOf.set(
      url,
      fetch(url, { headers: { Accept: 'application/json' } })
        .then((answer) => (answer.ok ? answer.json() : { people: [] }))
        .then((answer) => answer.people)
        .catch(() => {
          peopleOf.delete(url);
          return [];
        }),
    );
  return peopleOf.get(url);
}

/* People whose handle or a part of whose name begins so, those whose handle does first. */
export function matching(everybody, start) {
  const first = start.toLowerCase();
  const byHandle = everybody.filter((one) => one.handle.startsWith(first));
  const byName = everybody.filter(
    (one) =>
      !byHandle.includes(one) &&
      one.name
        .toLowerCase()
        .split(/\s+/)
        .some((part) => part.startsWith(first)),
  );
  return [...byHandle, ...byName].slice(0, SHOWN);
}

/* The text with the handle in place of what was typed, and where the caret stands then. */
export function completed(text, caret, handle) {
  const start = caret - AT.exec(text.slice(0, caret))[1].length;
  const rest = text.slice(caret).replace(/^[a-z0-9-]*/i, '');
  const space = rest.startsWith(' ') ? '' : ' ';
  return { text: `${text.slice(0, start)}${handle}${space}${rest}`, caret: start + handle.length + 1 };
}

function close() {
  list?.remove();
  list = null;
  field?.removeAttribute('aria-controls');
  field?.removeAttribute('aria-activedescendant');
  field = null;
}

function choose(option) {
  for (const one of list.children) one.setAttribute('aria-selected', String(one === option));
  field.setAttribute('aria-activedescendant', option.id);
}

function take(option) {
  const target = field;
  const made = completed(target.value, target.selectionStart, option.dataset.handle);
  close();
  target.setRangeText(made.text, 0, target.value.length);
  target.setSelectionRange(made.caret, made.caret);
  target.dispatchEvent(new Event('input', { bubbles: true }));
}

/* At the body or its dialog, since panes cut off what hangs over their edge; above the field where there is no room below. */
function place(target) {
  const at = target.getBoundingClientRect();
  const height = list.offsetHeight;
  const isBelow = at.bottom + height + 4 < innerHeight;
  list.style.left = `${Math.max(4, Math.min(at.left, innerWidth - list.offsetWidth - 4))}px`;
  list.style.top = `${isBelow ? at.bottom + 2 : Math.max(4, at.top - height - 2)}px`;
}

function show(target, matches) {
  close();
  if (!matches.length) return;
  field = target;
  list = document.createElement('ul');
  list.className = 'popover mentions';
  list.id = 'mentions';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'People');
  matches.forEach((one, number) => {
    const option = document.createElement('li');
    option.id = `mention-${number}`;
    option.setAttribute('role', 'option');
    option.dataset.handle = one.handle;
    const handle = document.createElement('b');
    handle.textContent = `@${one.handle}`;
    const name = document.createElement('span');
    name.className = 'soft';
    name.textContent = one.name;
    option.append(handle, ' ', name);
    list.append(option);
  });
  (target.closest('dialog') ?? document.body).append(list);
  place(target);
  field.setAttribute('aria-controls', 'mentions');
  choose(list.firstElementChild);
}

async function typed(target) {
  const before = () => AT.exec(target.value.slice(0, target.selectionStart))?.[1];
  if (before() === undefined) {
    if (field) close();
    return;
  }
  const everybody = await people(target.dataset.mentions);
  const now = before();
  if (now === undefined || document.activeElement !== target) close();
  else show(target, matching(everybody, now));
}

function pressed(ev) {
  const options = [...list.children];
  const at = options.findIndex((one) => one.getAttribute('aria-selected') === 'true');
  const step = { ArrowDown: 1, ArrowUp: -1 }[ev.key];
  if (step) choose(options[(at + step + options.length) % options.length]);
  else if (ev.key === 'Enter' || ev.key === 'Tab') take(options[at]);
  else if (ev.key === 'Escape') close();
  else return;
  ev.preventDefault();
  ev.stopPropagation();
}

/* What is selected of the comment, or all of it, each line behind "> ". */
export function quoted(text) {
  const lines = text.trim().split('\n');
  return `${lines.map((line) => (line.trim() ? `> ${line}` : '>')).join('\n')}\n\n`;
}

function quote(button) {
  const said = document.querySelector(`#${button.dataset.quote} .said`);
  const reply = document.getElementById(button.dataset.into);
  if (!said || !reply) return;
  const selection = getSelection();
  const isWithin = selection.rangeCount > 0 && said.contains(selection.getRangeAt(0).commonAncestorContainer);
  const text = quoted((isWithin && selection.toString().trim()) || said.innerText);
  const gap = reply.value && !reply.value.endsWith('\n\n') ? '\n\n' : '';
  reply.focus();
  reply.setRangeText(gap + text, reply.value.length, reply.value.length, 'end');
  reply.rows = Math.min(12, reply.value.split('\n').length + 1);
  reply.dispatchEvent(new Event('input', { bubbles: true }));
}

/* Listens for the whole document, so that threads may come and go. */
export function startMentions() {
  on('input', 'textarea[data-mentions]', typed);
  document.addEventListener(
    'keydown',
    (ev) => {
      if (list && ev.target === field && !ev.ctrlKey && !ev.metaKey && !ev.isComposing) pressed(ev);
    },
    true,
  );
  /* Before the field loses the focus. */
  on('mousedown', '.mentions [role="option"]', (option, ev) => {
    ev.preventDefault();
    take(option);
  });
  document.addEventListener('focusout', (ev) => {
    if (ev.target === field) close();
  });
  on('click', '[data-quote]', quote);
}
