/* Things of a run that threads speak of: their keys, and where they stand in a page. No listener, so that all pages share it. */

/* One key for each thing, from what names it: a query of its address, a mark of the server, or the data of a thread. */
export function keyOf({ kind, cycle, seq, plugin, node, pod, uid }) {
  switch (kind) {
    case 'move':
    case 'event':
      return `${kind} ${seq}`;
    case 'victim':
      return `victim ${cycle} ${pod} ${uid || ''}`;
    case 'story':
      return `story ${pod} ${uid || ''}`;
    case 'score':
    case 'verdict':
      return `${kind} ${cycle} ${plugin} ${node}`;
    default:
      return `cycle ${cycle}`;
  }
}

export function keyOfLink(link) {
  return keyOf(Object.fromEntries(new URL(link.href, location.href).searchParams));
}

/* The cell of a plugin in a row of the matrix: its score, which stands last, or its verdict; the row's head without one. */
export function cellOf(row, plugin, kind) {
  const heads = [...(row.closest('table')?.querySelectorAll('thead tr:last-child > *') ?? [])];
  const isIts = (head) => head.querySelector(`[data-plugin="${CSS.escape(plugin)}"]`) || head.dataset.plugin === plugin;
  let at = 0;
  if (plugin) at = kind === 'score' ? heads.findLastIndex(isIts) : heads.findIndex(isIts);
  return (at > 0 && row.children[at]) || row.firstElementChild;
}

/* The row that is selected: the one with the focus, else that of the cursor in the story or among the events. */
export function chosenRow(page) {
  const focused = page.activeElement?.closest?.('.tale-line, .tale-head, .wy-pod, .er, tr[data-field]');
  return focused ?? page.querySelector('#inspector .tale-line.is-cursor, #event-list .er.is-cursor');
}
