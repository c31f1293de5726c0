/** Return the address of the page's part: what the page has seen, and the order of causes that is kept ("" for none). */
export function partAddress(url, search, seen, kept) {
  const query = new URLSearchParams(search);
  query.set('seen', seen);
  if (kept) query.set('order', kept);
  return `${url}?${query}`;
}

/** Return the query of the page that compares two kept moments. */
export function betweenHours(search, since, until) {
  const query = new URLSearchParams(search);
  query.set('since', since);
  query.set('until', until);
  return String(query);
}
