/* The editor of a draft: the tree follows what is selected on the map, and arrows walk over its lines. */

const SELECTING = ['node', 'pod', 'kind', 'ns', 'name'];

const selectionOf = (search) => {
  const asked = new URLSearchParams(search);
  return SELECTING.map((name) => asked.get(name) ?? '').join('\n');
};

function mark() {
  const here = selectionOf(location.search);
  for (const link of document.querySelectorAll('.wb-leaf > a')) {
    if (selectionOf(link.search) === here) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

function walk(ev) {
  if (!['ArrowDown', 'ArrowUp'].includes(ev.key) || ev.ctrlKey || ev.metaKey || ev.altKey) return;
  const tree = document.getElementById('wb-tree');
  const isField = ev.target.id === 'wb-q';
  if (!isField && !tree.contains(ev.target)) return;
  const links = [...tree.querySelectorAll('.wb-line > a')];
  const at = links.indexOf(ev.target);
  const next = isField ? links[0] : links[at + (ev.key === 'ArrowDown' ? 1 : -1)];
  ev.preventDefault();
  (next ?? (at === 0 ? document.getElementById('wb-q') : null))?.focus();
}

/* The address follows the tree. A line that was pressed is another element once the tree came anew. */
function keepFocus(ev) {
  if (ev.detail.target.id !== 'wb-tree') return;
  history.replaceState(history.state, '', document.getElementById('wb-tree').dataset.address);
  mark();
  const name = ev.detail.requestConfig?.elt?.title;
  if (!name || document.activeElement !== document.body) return;
  const lines = [...document.querySelectorAll('#wb-tree .wb-line > a[hx-get]')];
  lines.find((one) => one.title === name)?.focus();
}

document.addEventListener('map:selected', mark);
document.addEventListener('keydown', walk);
document.addEventListener('htmx:afterSwap', keepFocus);
