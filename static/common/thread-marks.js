/* Where a run has threads. The timeline and the page's own marks ask at the same moments, and get one answer. */

let first = null;

/** Return {cycles, things} of an address, null where the server did not say. The page's first question is asked once for all;
 * after a change each asks again, since an answer that is under way may be from before. */
export function threadMarks(url, { isFirst = false } = {}) {
  if (!isFirst) return asked(url);
  first ??= asked(url);
  return first;
}

async function asked(url) {
  const answer = await fetch(url, { headers: { Accept: 'application/json' } }).catch(() => null);
  return answer?.ok ? answer.json() : null;
}
