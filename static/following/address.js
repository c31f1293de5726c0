/** Return the address of the page's part: what the page has seen, and the order of causes that is kept ("" for none). */
export function partAddress(url, search, seen, kept) {
  const query = new URLSearchParams(search);
  query.set('seen', seen);
  if (kept) query.set('order', kept);
  return `${url}?${query}`;
}
