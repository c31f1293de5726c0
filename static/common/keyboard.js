/* Keys: an element with data-key="F10", "Shift+N", "?" or "g o" (one after the other), or with that name among its data-key-twins, is clicked
   when the key is pressed outside a text field. The help lists these elements (commands.js), so a key without a visible button cannot exist. */
import { isAble, keyed, keysOf, pageCommands, wordsOf } from './commands.js';
import { isCharacter, keyName, meaning } from './strokes.js';
import { on } from './on.js';

const LETTERS = 'keys-letters';
const PATIENCE = 2500;

let before = '';
let forgetting = 0;

/* A field of a dialog that was just closed keeps the focus until the next frame, though nothing can be typed into it. */
const seen = (target) => (target instanceof Element && target.checkVisibility() ? target : document.body);

function typing(target) {
  return !!seen(target).closest(
    'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"], .ace_editor',
  );
}

/* A field undoes what was typed into it. */
const isOfField = (stroke) => /^Mod\+(Shift\+)?z$/i.test(stroke);

/** Return whether somebody switched keys that are a letter or a sign off. */
export const lettersAreOff = () => localStorage.getItem(LETTERS) === 'off';

/** Return whether a key without modifiers is pressed on the page itself, not in a field or a dialog, and is not switched off. */
export function isForPage(ev) {
  if (ev.ctrlKey || ev.metaKey || ev.altKey) return false;
  if (seen(ev.target).closest('input, textarea, select, [contenteditable="true"], .ace_editor, dialog')) return false;
  return ev.key.length > 1 || !lettersAreOff();
}

/** Return the <kbd> elements for a key name. */
export function kbds(name) {
  const words = {
    PageUp: 'PgUp',
    PageDown: 'PgDn',
    Escape: 'Esc',
    Shift: '⇧',
    Mod: /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl',
    Alt: 'Alt',
  };
  return name
    .split(' ')
    .flatMap((stroke) => stroke.split(/\+(?=.)/))
    .map((part) => {
      const kbd = document.createElement('kbd');
      kbd.textContent = words[part] ?? (part.length === 1 ? part.toUpperCase() : part);
      return kbd;
    });
}

function row(names, words) {
  const line = document.createElement('div');
  line.className = 'kr';
  const keys = document.createElement('span');
  keys.className = 'row-tight';
  names.forEach((name, i) => keys.append(...(i ? ['or'] : []), ...kbds(name)));
  const text = document.createElement('span');
  text.className = 'soft';
  text.textContent = words && words[0].toUpperCase() + words.slice(1);
  line.append(keys, text);
  return line;
}

function heading(words) {
  const line = document.createElement('h3');
  line.className = 'kgroup';
  line.textContent = words;
  return line;
}

/* Declared keys in their groups, as far as the page has them; then the others of the page. */
function fillHelp(list) {
  const lines = [];
  let at = '';
  for (const { keys, words, group } of pageCommands().filter((command) => command.keys.length)) {
    if (group !== at) lines.push(heading(group || 'This page'));
    at = group;
    lines.push(row(keys, words));
  }
  list.replaceChildren(...lines);
}

function hint(pending) {
  let place = document.getElementById('key-hint');
  if (!pending) {
    place?.remove();
    return;
  }
  if (!place) {
    place = document.createElement('div');
    place.id = 'key-hint';
    place.className = 'key-hint';
    place.setAttribute('role', 'status');
    document.body.append(place);
  }
  const rest = keyed().flatMap((node) =>
    keysOf(node)
      .filter((name) => name.startsWith(`${pending} `))
      .map((name) => row([name.slice(pending.length + 1)], wordsOf(node))),
  );
  const head = document.createElement('span');
  head.className = 'row-tight';
  head.append(...kbds(pending), 'then');
  place.replaceChildren(head, ...rest);
}

function waitFor(pending) {
  clearTimeout(forgetting);
  before = pending;
  hint(pending);
  if (pending) forgetting = setTimeout(() => waitFor(''), PATIENCE);
}

function onKey(ev) {
  if (ev.defaultPrevented || ev.isComposing || ['Shift', 'Control', 'Alt', 'Meta'].includes(ev.key)) return;
  const stroke = keyName(ev);
  if (typing(ev.target) && (!stroke.startsWith('Mod+') || isOfField(stroke))) return;
  if (document.querySelector('dialog[open]')) return;
  if (ev.target.matches?.('button, a, summary') && (stroke === 'Enter' || stroke === 'Space')) return;
  if (lettersAreOff() && isCharacter(stroke) && stroke !== '?') return;
  const able = keyed().filter(isAble);
  const was = before;
  const { name = '', pending = '' } = meaning(was, stroke, able.flatMap(keysOf));
  waitFor(pending);
  if (was && stroke === 'Escape') ev.preventDefault();
  if (!name) return;
  ev.preventDefault();
  const node = able.find((one) => keysOf(one).includes(name));
  // A menu that a key opened is walked through from where it opens.
  if (node.matches('input, textarea, select, summary')) node.focus();
  if (!node.matches('input, textarea, select')) node.click();
}

/* Keys that a pane takes are named in the footer while the focus is in it. */
function followFocus() {
  const places = [...document.querySelectorAll('[data-foot-panes]')];
  if (!places.length) return;
  const show = (target) => {
    for (const place of places) {
      const panes = place.dataset.footPanes.split(' ');
      place.hidden = !panes.some((id) => target?.closest?.(`#${id}`));
    }
  };
  document.addEventListener('focusin', (ev) => show(ev.target));
  document.addEventListener('focusout', (ev) => {
    if (!ev.relatedTarget) show(null);
  });
}

/** Listen for keys and open the help with "?". */
export function startKeyboard() {
  const help = document.getElementById('keys');
  document.addEventListener('keydown', onKey);
  followFocus();
  const letters = help?.querySelector('[data-letters]');
  if (letters) {
    letters.checked = !lettersAreOff();
    letters.addEventListener('change', () => localStorage.setItem(LETTERS, letters.checked ? 'on' : 'off'));
  }
  help?.addEventListener('toggle', () => {
    if (help.open) fillHelp(help.querySelector('[data-list]'));
  });
  on('click', '[data-show-keys]', () => {
    fillHelp(help.querySelector('[data-list]'));
    help.showModal();
  });
}
