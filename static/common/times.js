/* Wall times: the server writes UTC, the reader sees their own zone. <time datetime="...Z" data-when="ago|date|full">. */
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const STEPS = [
  [60, 1, 'second'],
  [3600, 60, 'minute'],
  [86400, 3600, 'hour'],
  [7 * 86400, 86400, 'day'],
];

/** Return words such as "2 min. ago" for a moment in the last week, else the date in the reader's zone. */
export function ago(when, now = new Date()) {
  const seconds = (when - now) / 1000;
  if (Math.abs(seconds) < 10) return 'just now';
  for (const [limit, unit, name] of STEPS) {
    if (Math.abs(seconds) < limit) return AGO.format(Math.trunc(seconds / unit), name).replace('.', '');
  }
  return DATE.format(when);
}

function show(node) {
  const when = new Date(node.getAttribute('datetime'));
  if (Number.isNaN(when.getTime())) return;
  const form = node.dataset.when;
  node.textContent = form === 'full' ? FULL.format(when) : form === 'date' ? DATE.format(when) : ago(when);
  node.title = `${FULL.format(when)} (${when.toISOString().replace('T', ' ').slice(0, 19)} UTC)`;
}

/** Show the times of a part that a script has put into the page. */
export function showTimes(scope) {
  for (const node of scope.querySelectorAll('time[data-when]')) show(node);
}

/** Convert all times now, after every swap, and each half minute the relative ones. */
export function startTimes() {
  showTimes(document);
  // A part that comes along with another one and is morphed has no event of its own: all of the page, each time.
  for (const name of ['htmx:afterSettle', 'htmx:oobAfterSwap'])
    document.addEventListener(name, () => showTimes(document));
  setInterval(() => {
    for (const node of document.querySelectorAll('time[data-when="ago"]')) show(node);
  }, 30000);
}
