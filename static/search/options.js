/* Options of the list under the field: lines for the page's commands, as the server writes them for hits. */
import { isAble, pageCommands } from '../common/commands.js';
import { icon } from '../common/icons.js';
import { kbds } from '../common/keyboard.js';
import { marked, rank } from './ranking.js';

/* A command of the page that a click or the focus carries out now. */
const isOffered = ({ node }) => node && isAble(node) && !node.closest('[hidden]') && !('showCommands' in node.dataset);

/* The glyph that a command names, else that on its button. */
function iconOf(node) {
  const own = node.dataset.commandIcon ? null : node.querySelector('svg.i');
  if (!own) return icon(node.dataset.commandIcon ?? 'right');
  const copy = own.cloneNode(true);
  copy.setAttribute('class', 'i');
  return copy;
}

function line({ words, keys, node }, typed) {
  const option = document.createElement('button');
  option.type = 'button';
  option.className = 'menu-item m-queue';
  option.tabIndex = -1;
  option.setAttribute('role', 'option');
  const text = document.createElement('span');
  text.className = 'cut';
  for (const [part, isTyped] of marked(words, typed)) {
    const piece = document.createElement(isTyped ? 'mark' : 'span');
    piece.textContent = part;
    text.append(piece);
  }
  option.append(iconOf(node), text);
  if (keys.length) {
    const place = document.createElement('span');
    place.className = 'push row-tight';
    place.append(...kbds(keys[0]));
    option.append(place);
  }
  return option;
}

/* The same thing may be offered at two places of a page, as in a bar and in a menu. */
function distinct(commands) {
  const seen = new Map();
  for (const command of commands) {
    const words = command.words[0].toUpperCase() + command.words.slice(1);
    const before = seen.get(words);
    if (!before || (!before.keys.length && command.keys.length)) seen.set(words, { ...command, words });
  }
  return [...seen.values()];
}

/** Return the group of the page's commands that match the words, null where none does, and what its best costs. */
export function commandGroup(words, act) {
  const offered = distinct(pageCommands().filter((command) => isOffered(command) && command.words));
  const found = rank(offered, words, (command) => command.words);
  if (!found.length) return null;
  const group = document.createElement('div');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-labelledby', 'found-command');
  group.dataset.kind = 'command';
  group.dataset.cost = String(found[0].cost);
  const head = document.createElement('div');
  head.className = 'pal-g';
  head.id = 'found-command';
  head.textContent = 'Commands here';
  group.append(head);
  for (const { item } of found) {
    const option = line(item, words);
    option.addEventListener('click', () => act(item.node));
    group.append(option);
  }
  return group;
}
