/* A query in pieces by what they are, for painting: [text, kind] with kind subject, word, field, operator, value or "". */

const SUBJECTS = new Set(['cycle', 'cell', 'move', 'preemption', 'event']);
const JOINING = new Set(['and', 'or', 'not']);
const PIECE = /(\s+)|("(?:[^"\\]|\\.)*"?)|(!=|<=|>=|[:=<>~])|([()])|([^\s()"<>=!~:]+)|(.)/gsu;
const VALUE = /[^\s()"]*/y;

/** Return the pieces of the text; joined they are the text again. */
export function pieces(text) {
  const found = [];
  let isValue = false;
  let isFirst = true;
  PIECE.lastIndex = 0;
  for (let match = PIECE.exec(text); match; match = PIECE.exec(text)) {
    const [whole, blank, quoted, operator, bracket, word] = match;
    if (blank !== undefined) {
      found.push([whole, '']);
      continue;
    }
    let kind = '';
    let piece = whole;
    if (isValue && word !== undefined) {
      // A value goes on to the next blank, bracket or quote, also over signs that are operators elsewhere.
      VALUE.lastIndex = match.index;
      [piece] = VALUE.exec(text);
      PIECE.lastIndex = match.index + piece.length;
      kind = 'value';
    } else if (quoted !== undefined) kind = 'value';
    else if (operator !== undefined) kind = 'operator';
    else if (word !== undefined) kind = kindOf(word, isFirst, text.slice(PIECE.lastIndex));
    found.push([piece, kind]);
    isValue = kind === 'operator';
    if (bracket === undefined) isFirst = false;
  }
  return found;
}

function kindOf(word, isFirst, rest) {
  if (JOINING.has(word.toLowerCase())) return 'word';
  if (isFirst && SUBJECTS.has(word) && !/^\s*(!=|[:=<>~])/.test(rest)) return 'subject';
  return 'field';
}
