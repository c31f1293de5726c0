/* The tabs of the run lead to the same moment, pod and node on its other pages. */
import { momentOf } from './address.js';
import { here, urlFor } from './cursor.js';

function point() {
  const query = momentOf(new URL(urlFor({}), location.href));
  for (const link of document.querySelectorAll('.tab[data-moment]')) {
    if (link.dataset.moment === 'outcomes') {
      link.href = `${link.pathname}?seq=${here().seq}`;
      continue;
    }
    const step = link.dataset.moment && `${query ? '&' : '?'}step=${link.dataset.moment}`;
    link.href = `${link.pathname}${query}${step}`;
  }
}

/** Keep the tabs at the cursor. */
export function startTabs() {
  point();
  document.addEventListener('cursor:moved', point);
}
