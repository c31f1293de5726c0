/* Short addresses of cursors, for chats: /w/team/runs/12/c/28/on/node-3. dashboard/debugger/sharing/short_views.py reads them and says what the parts are. */

const PARTS = { point: 'at', call: 'call', plugin: 'by', node: 'on', pod: 'of', tab: 'show' };
const MOMENTS = { cycle: 'c', seq: 's' };
// How the sender's map stands and by what they step: nothing of what a link points at.
const LEFT_OUT = new Set(['map', 'cluster', 'table_sort', 'table_page', 'step']);
// What a segment holds as it is; other values (none of a valid object) stay in a query.
const SEGMENT = /^[A-Za-z0-9][\w.-]*$/;
const RUN = /\/runs\/\d+\/$/;
const POD = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/** Return the short form of a cursor's address, or the address itself where a short one would lose a filter, an order or the like. */
export function shortOf(address) {
  const url = new URL(address);
  if (!RUN.test(url.pathname)) return address;
  let moment = '';
  let rest = '';
  for (const [name, value] of url.searchParams) {
    if (name in MOMENTS && !moment) moment = `${MOMENTS[name]}/${value}/`;
    else if (name in PARTS && (name === 'pod' ? POD : SEGMENT).test(value))
      rest += `${PARTS[name]}/${value.replace('/', ':')}/`;
    else if (!LEFT_OUT.has(name)) return address;
  }
  return moment ? url.origin + url.pathname + moment + rest + url.hash : address;
}
