/* Keys: an element with data-key="F10", "Shift+F10", "y" or "?" is clicked when that key is pressed outside a text field.
   The help dialog lists them, so a key without a visible button cannot exist. */
const NAMED = { ' ': 'Space', ArrowUp: 'Up', ArrowDown: 'Down', ArrowLeft: 'Left', ArrowRight: 'Right' };

function typing(target) {
  return (
    target instanceof Element &&
    !!target.closest(
      'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"], .ace_editor',
    )
  );
}

/** Return the name of a key event as data-key writes it: "Shift+F10", "Mod+k", "y", "?", "Space". */
export function keyName(ev) {
  const key = NAMED[ev.key] ?? (ev.key.length === 1 ? ev.key.toLowerCase() : ev.key);
  const printable = ev.key.length === 1;
  const shift = ev.shiftKey && (!printable || /^[a-z]$/i.test(ev.key)) ? 'Shift+' : '';
  return `${ev.ctrlKey || ev.metaKey ? 'Mod+' : ''}${ev.altKey ? 'Alt+' : ''}${shift}${key}`;
}

function buttons() {
  return [...document.querySelectorAll('[data-key]')].filter((node) => !node.closest('dialog:not([open])'));
}

function label(node) {
  return node.dataset.keyLabel ?? node.getAttribute('aria-label') ?? node.title ?? node.textContent.trim();
}

/** Return the <kbd> elements for a key name. */
export function kbds(name) {
  const words = { Shift: '⇧', Mod: /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl', Alt: 'Alt' };
  return name.split(/\+(?=.)/).map((part) => {
    const kbd = document.createElement('kbd');
    kbd.textContent = words[part] ?? (part.length === 1 ? part.toUpperCase() : part);
    return kbd;
  });
}

function row(name, words) {
  const line = document.createElement('div');
  line.className = 'kr';
  const keys = document.createElement('span');
  keys.className = 'row-tight';
  keys.append(...kbds(name));
  const text = document.createElement('span');
  text.className = 'soft';
  text.textContent = words;
  line.append(keys, text);
  return line;
}

function fillHelp(list) {
  const seen = new Map();
  for (const node of buttons()) if (!seen.has(node.dataset.key)) seen.set(node.dataset.key, label(node));
  // Keys that need no button of their own: twins of other keys, moves within lists.
  for (const node of document.querySelectorAll('[data-help-key]'))
    seen.set(node.dataset.helpKey, node.textContent.trim());
  list.replaceChildren(...[...seen].map(([name, words]) => row(name, words)));
}

/** Listen for keys and open the help with "?". */
export function startKeyboard() {
  const help = document.getElementById('keys');
  document.addEventListener('keydown', (ev) => {
    if (ev.defaultPrevented || ev.isComposing) return;
    const name = keyName(ev);
    if (typing(ev.target) && !name.startsWith('Mod+')) return;
    if (document.querySelector('dialog[open]')) return;
    if (ev.target.matches?.('button, a, summary') && (name === 'Enter' || name === 'Space')) return;
    const node = buttons().find(
      (one) => one.dataset.key === name && !one.disabled && one.getAttribute('aria-disabled') !== 'true',
    );
    if (!node) return;
    ev.preventDefault();
    if (node.matches('input, textarea, select')) node.focus();
    else node.click();
  });
  help?.addEventListener('toggle', () => {
    if (help.open) fillHelp(help.querySelector('[data-list]'));
  });
  document.addEventListener('click', (ev) => {
    if (!ev.target.closest('[data-show-keys]')) return;
    fillHelp(help.querySelector('[data-list]'));
    help.showModal();
  });
}
