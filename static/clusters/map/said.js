/* What a fit says in words: a sentence above the map, and a cell of each row of the table. */
const number = new Intl.NumberFormat('en');

/** Say how many nodes fit, or nothing where no fit is known. */
export function sayFit(fit, pod) {
  const place = document.getElementById('map-fit');
  if (!place) return;
  place.hidden = !fit;
  if (!fit) return;
  const left = fit.left ? `; ${number.format(fit.left)} nodes are not on this map` : '';
  const count = document.createElement('b');
  count.textContent = `Fits ${number.format(fit.fits)}`;
  place.replaceChildren(count, ` of ${number.format(fit.total)}${pod ? `, ${pod}` : ''}${left}`);
  place.title = place.textContent;
}

/** Write each node's verdict into its row of the table, and take them away with null. */
export function fillTable(detail) {
  const table = document.querySelector('.cmap-table');
  if (!table) return;
  table.classList.toggle('is-lit', !!detail);
  const known = new Map((detail?.nodes ?? []).map((one) => [one.node, one]));
  for (const cell of table.querySelectorAll('[data-fit-of]')) {
    const found = known.get(cell.dataset.fitOf);
    cell.className = found ? `cmap-fit m-${found.fits ? 'bound' : 'unsched'}` : 'cmap-fit';
    cell.textContent = found ? wordsOf(found) : '';
  }
}

function wordsOf({ fits, score, reason }) {
  if (!fits) return reason || 'does not fit';
  return score === null || score === undefined ? 'fits' : `fits, score ${number.format(score)}`;
}
