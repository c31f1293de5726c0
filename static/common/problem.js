/* What is wrong with an answer, in words. */

/** Return what an answer that is no success says, or that there is none (null), and then `more`. */
export function problemIn(answer, more = '') {
  const named = answer?.headers.get('X-Problem');
  if (named) return decodeURIComponent(named);
  const what = answer ? `The server answered ${answer.status}.` : 'The server cannot be reached.';
  return more ? `${what} ${more}` : what;
}
