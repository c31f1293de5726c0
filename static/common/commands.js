/* The commands of the open page, one list for all that shows them: the help of keys ("?") and the field "Search and commands".
   A command is an element with data-key="F10" (its twins in data-key-twins, separated by "|"), with data-command="words", or both.
   A page may declare order, groups and the keys that its panes take themselves (#page-keys). */

/** Return the names of the keys of an element: ["F10", "."]. */
export function keysOf(node) {
  if (!node.dataset.key) return [];
  const twins = node.dataset.keyTwins;
  return twins ? [node.dataset.key, ...twins.split('|')] : [node.dataset.key];
}

/** Return the elements of the page that have a key, those of closed dialogs left out. */
export function keyed() {
  return [...document.querySelectorAll('[data-key]')].filter((node) => !node.closest('dialog:not([open])'));
}

/** Return what an element does, in words. */
export function wordsOf(node) {
  return (
    node.dataset.command ||
    node.dataset.keyLabel ||
    node.getAttribute('aria-label') ||
    node.title ||
    node.textContent.trim()
  );
}

/** Return whether an element can be used now. */
export function isAble(node) {
  return !node.disabled && node.getAttribute('aria-disabled') !== 'true';
}

function declared() {
  const place = document.getElementById('page-keys');
  return place ? JSON.parse(place.textContent) : [];
}

/** Return the commands of the page: {words, keys, group, node}. Declared ones come first, in their order and groups, as far as
    the page has them; `node` is null for keys that a pane takes itself. Others follow in the order of the page, without a group. */
export function pageCommands() {
  const byKey = new Map();
  for (const node of keyed()) if (!byKey.has(node.dataset.key)) byKey.set(node.dataset.key, node);
  const commands = [];
  const listed = new Set();
  for (const { keys, label, group, by_pane: isOfPane } of declared()) {
    const node = byKey.get(keys[0]) ?? null;
    if (!node && !isOfPane) continue;
    listed.add(node);
    commands.push({ words: node ? wordsOf(node) : label, keys, group, node });
  }
  const named = [...document.querySelectorAll('[data-command]')].filter((node) => !node.closest('dialog'));
  for (const node of new Set([...byKey.values(), ...named]))
    if (!listed.has(node)) commands.push({ words: wordsOf(node), keys: keysOf(node), group: '', node });
  return commands;
}
