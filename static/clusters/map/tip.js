/* The words beside the pointer: a node, or one of its pods, with every resource. */
import { amountsOf, nodeWords } from './data.js';

const AWAY = 14;

let tip = null;
let shown = '';

function line(text, name = '') {
  const element = document.createElement('span');
  element.textContent = text;
  if (name) element.className = name;
  return element;
}

/* Right of the pointer and below it, or on the other side where the window ends, so that it never lies under the pointer. */
function place({ clientX, clientY }) {
  const { offsetWidth, offsetHeight } = tip;
  const x = clientX + AWAY + offsetWidth > innerWidth - 4 ? clientX - AWAY - offsetWidth : clientX + AWAY;
  const y = clientY + AWAY + offsetHeight > innerHeight - 4 ? clientY - AWAY - offsetHeight : clientY + AWAY;
  tip.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
}

function fill({ data, fit, names, place: node, tile }) {
  const { head, pods, fit: verdict } = nodeWords(data, node, fit);
  const name = document.createElement('b');
  name.textContent = data.nodes[node];
  const parts = [name];
  if (verdict) parts.push(line(verdict, 'cmap-tip-fit'));
  if (head) parts.push(line(head));
  const table = document.createElement('span');
  table.className = 'cmap-tip-rows';
  for (const { label, words, share, isOver } of amountsOf(data, node)) {
    table.append(line(label), line(words), line(share, isOver ? 'is-over' : ''));
  }
  parts.push(table, line(pods));
  if (tile >= 0) {
    const requests = data.pods.requests.words[data.kinds[tile]] || 'requests nothing';
    parts.push(line(names ? `${names[tile]}: ${requests}` : requests, 'cmap-tip-pod'));
  }
  tip.replaceChildren(...parts);
}

/** Show the words for a node and a tile beside a point of the window, and return them as text. */
export function showTip(what, point) {
  tip ??= document.body.appendChild(Object.assign(document.createElement('div'), { className: 'cmap-tip' }));
  const key = `${what.data.version} ${what.place} ${what.tile} ${what.names ? 1 : 0}`;
  if (tip.hidden || key !== shown || what.fit !== tip.fit) fill(what);
  [shown, tip.fit, tip.hidden] = [key, what.fit, false];
  place(point);
  return [...tip.querySelectorAll('b, span:not(.cmap-tip-rows)')].map((one) => one.textContent).join(', ');
}

/** Take the words away. */
export function hideTip() {
  if (tip) tip.hidden = true;
}
