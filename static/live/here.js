/* Where the page is, for others, and the way back from such a place to an address. A page whose address changes without being loaded
   answers place:ask on document by setting detail.address to that of what is painted. */
import { placeOf } from './people.js';

/** Return the bar's element for people, null on pages outside of workspaces. */
export const bar = () => document.getElementById('people');

/** Return the member's own id. */
export const me = () => Number(bar().dataset.me);

/** Return the place {path, query} of what is painted, null where nobody meets. */
export function placeHere() {
  const asked = new CustomEvent('place:ask', { detail: { address: location.href } });
  document.dispatchEvent(asked);
  return placeOf(new URL(asked.detail.address, location.href).href, bar().dataset.root);
}

/** Return the address of a place, null where it would lead out of the workspace. */
export function addressOf({ path, query }) {
  const address = new URL(`${bar().dataset.root}${path}${query ? `?${query}` : ''}`, location.origin);
  return address.origin === location.origin && placeOf(address.href, bar().dataset.root) ? address.href : null;
}
