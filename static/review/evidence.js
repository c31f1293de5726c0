/* The evidence in the middle of a review: parts of other pages, which move in their place; threads as numbers at what they
 * speak of; and the comment that is written below goes to the cell that is selected. */

/* Where a link in the evidence leads within it: the part that it fills, null for links that leave the page. */
export function within(link, inspector, part) {
  const path = new URL(link.href, location.href).pathname;
  if (inspector && link.closest('#inspector') && path === inspector) return '#inspector';
  return part && link.closest('#evidence-part') && link.matches('[data-move]') ? part : null;
}

const evidence = () => document.getElementById('evidence');
let inspectorPath = '';
let partOf = '';

/* What the evidence is fetched from stays known when the fetched part has taken the place of the element. */
function remember() {
  const inspector = document.querySelector('#evidence > #inspector[hx-get]');
  if (inspector) inspectorPath = new URL(inspector.getAttribute('hx-get'), location.href).pathname;
  partOf = document.getElementById('evidence-part')?.getAttribute('hx-select') ?? '';
}

function show(address, part) {
  if (part === '#inspector') {
    pin(address);
    return window.htmx.ajax('GET', address, { target: '#inspector', swap: 'outerHTML' });
  }
  return window.htmx.ajax('GET', address, { target: '#evidence-part', swap: 'innerHTML', select: part });
}

/* The hidden fields of the comment follow the cell that the inspector has selected. */
function pin(address) {
  const form = document.querySelector('[data-composer-form]');
  if (!form) return;
  const query = new URL(address, location.href).searchParams;
  if (query.get('cycle')) form.elements.cycle.value = query.get('cycle');
  for (const field of form.querySelectorAll('[data-pin]')) field.value = query.get(field.dataset.pin) ?? '';
  const where = [...form.querySelectorAll('[data-pin]')].map((field) => field.value).filter(Boolean);
  const said = form.querySelector('[data-pinned]');
  said.dataset.all ??= said.textContent;
  said.textContent = where.length ? where.join(', ') : said.dataset.all;
}

function cellOf(row, plugin) {
  const table = row.closest('table');
  const heads = [...(table?.querySelectorAll('thead tr:last-child > *') ?? [])];
  const at = plugin
    ? heads.findIndex(
        (head) => head.querySelector(`[data-plugin="${CSS.escape(plugin)}"]`) || head.dataset.plugin === plugin,
      )
    : 0;
  return (at > 0 && row.children[at]) || row.firstElementChild;
}

/* A number at each thing in the evidence that a thread speaks of, the same as at the thread. */
function anchor() {
  const middle = evidence();
  if (!middle) return;
  for (const old of middle.querySelectorAll('.rv-anchor')) old.remove();
  const shown = document.getElementById('inspector')?.dataset.shown;
  for (const thread of document.querySelectorAll('#review-threads .rv-anchored')) {
    const { node, cycle, plugin } = thread.dataset;
    if (!node || (shown && shown !== cycle)) continue;
    const row = middle.querySelector(`tr[data-node="${CSS.escape(node)}"]`);
    const cell = row && cellOf(row, plugin);
    if (!cell) continue;
    const link = document.createElement('a');
    link.className = 'rv-n rv-anchor';
    link.href = `#${thread.querySelector('article').id}`;
    link.textContent = thread.dataset.anchor;
    link.setAttribute('aria-label', `Thread ${thread.dataset.anchor} speaks of this`);
    cell.append(link);
  }
}

document.addEventListener('click', (ev) => {
  const link = ev.target.closest?.('#evidence a[href]');
  if (!link || ev.defaultPrevented || ev.button || ev.ctrlKey || ev.metaKey || ev.shiftKey || ev.altKey) return;
  const part = within(link, inspectorPath, partOf);
  if (!part || link.hasAttribute('hx-get')) return;
  ev.preventDefault();
  show(link.getAttribute('href'), part);
});
document.addEventListener('htmx:afterSettle', () => {
  remember();
  anchor();
});
document.addEventListener('keydown', (ev) => {
  if (ev.key !== 'c' || ev.ctrlKey || ev.metaKey || ev.altKey || ev.target.closest?.('input, textarea, select, dialog'))
    return;
  const field = document.querySelector('[data-composer-form] textarea');
  if (!field) return;
  ev.preventDefault();
  field.focus();
});

remember();
