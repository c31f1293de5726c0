/* The words beside the pointer: a node, or one of its pods, with every resource. */
import { Tip, words } from '../../common/canvas/tip.js';
import { amountsOf, nodeWords } from './data.js';

const tip = new Tip('cmap-tip');
let shown = '';
let shownFit = null;

function partsOf({ data, fit, names, place, tile }) {
  const { head, pods, fit: verdict } = nodeWords(data, place, fit);
  const parts = [words(data.nodes[place], '', 'b')];
  if (verdict) parts.push(words(verdict, 'cmap-tip-fit'));
  if (head) parts.push(words(head));
  const table = words('', 'cmap-tip-rows');
  for (const { label, words: amount, share, isOver } of amountsOf(data, place)) {
    table.append(words(label), words(amount), words(share, isOver ? 'is-over' : ''));
  }
  parts.push(table, words(pods));
  if (tile >= 0) {
    const requests = data.pods.requests.words[data.kinds[tile]] || 'requests nothing';
    parts.push(words(names ? `${names[tile]}: ${requests}` : requests, 'cmap-tip-pod'));
  }
  return parts;
}

/** Show the words for a node and a tile beside a point of the window, and return them as text. */
export function showTip(what, point) {
  const key = `${what.data.version} ${what.place} ${what.tile} ${what.names ? 1 : 0}`;
  const isAnother = tip.element.hidden || key !== shown || what.fit !== shownFit;
  [shown, shownFit] = [key, what.fit];
  tip.show(point, isAnother ? partsOf(what) : null);
  return [...tip.element.querySelectorAll('b, span:not(.cmap-tip-rows)')].map((one) => one.textContent).join(', ');
}

/** Take the words away. */
export const hideTip = () => tip.hide();
