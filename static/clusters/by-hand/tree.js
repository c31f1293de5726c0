/* Several objects of the tree: Ctrl and a click adds one, Shift a range, Space the line in focus; a button all that the filter finds. */
import { toast } from '../../common/toast.js';
import { add, hasPicks, idOf, idOfLink, isPicked, pick, pickFound, picks, toggle } from './picks.js';

const leaves = () => [...document.querySelectorAll('#wb-tree .wb-leaf > a')];
let anchor = '';

function mark() {
  for (const link of leaves()) {
    const id = idOfLink(link);
    link.closest('.wb-leaf').classList.toggle('is-picked', isPicked(id));
  }
}

function range(to) {
  const ids = leaves().map(idOfLink);
  const current = leaves().find((link) => link.hasAttribute('aria-current'));
  const from = Math.max(0, ids.indexOf(anchor || (current ? idOfLink(current) : '')));
  const at = ids.indexOf(to);
  add(ids.slice(Math.min(from, at), Math.max(from, at) + 1));
}

async function all(button) {
  try {
    await pickFound(document.getElementById('hand').dataset.picked, button.dataset.pickFound);
  } catch {
    toast('The server did not say what the filter finds. Nothing is selected.', { meaning: 'error' });
  }
}

document.addEventListener(
  'click',
  (ev) => {
    const button = ev.target.closest('[data-pick-found]');
    if (button) all(button);
    const link = ev.target.closest('#wb-tree .wb-leaf > a');
    if (!link) return;
    const id = idOfLink(link);
    if (ev.ctrlKey || ev.metaKey || ev.shiftKey) {
      ev.preventDefault();
      ev.stopPropagation();
      if (ev.shiftKey) range(id);
      else toggle(id);
    } else if (hasPicks()) pick([]);
    if (!ev.shiftKey) anchor = id;
  },
  true,
);
document.addEventListener('keydown', (ev) => {
  if (ev.key === 'Escape' && hasPicks() && !document.querySelector('dialog[open]')) pick([]);
  const link = ev.key === ' ' ? ev.target.closest?.('#wb-tree .wb-leaf > a') : null;
  if (!link) return;
  ev.preventDefault();
  if (ev.shiftKey) range(idOfLink(link));
  else toggle(idOfLink(link));
  if (!ev.shiftKey) anchor = idOfLink(link);
});
/* The map says which nodes are selected there, and hears which are here. */
document.addEventListener('map:pick', (ev) => {
  const { nodes, isMore = false, isToggled = false } = ev.detail;
  const ids = nodes.map(idOf.node);
  if (isToggled) for (const id of ids) toggle(id);
  else if (isMore) add(ids);
  else if (ids.length || hasPicks()) pick(ids);
});
document.addEventListener('picks:changed', () => {
  mark();
  const nodes = hasPicks() ? picks().filter((id) => id.startsWith('Node//')) : [];
  const detail = { nodes: nodes.map((id) => id.slice('Node//'.length)) };
  document.dispatchEvent(new CustomEvent('map:picked', { detail }));
});
document.addEventListener('htmx:afterSwap', mark);
