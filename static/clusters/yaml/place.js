/* Where a cursor stands in a YAML text in block style: the path of fields to it, and what is there already.
   Everything follows from indentation, so that it holds for a text that is being typed and is not valid yet. */

const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#\-?&*!|>%@`{}[\],][^#]*?|-[^\s:#][^#:]*?)\s*:(?=\s|$)/;
const MARK = /^(---|\.\.\.)(\s|$)/;

/* The dashes and the key with which a line begins: [{ column, dash } or { column, key, end }]. */
export function partsOf(line) {
  const parts = [];
  let at = line.length - line.trimStart().length;
  while (/^- |^-$/.test(line.slice(at))) {
    parts.push({ column: at, dash: true });
    const rest = line.slice(at + 1);
    at += 1 + rest.length - rest.trimStart().length;
  }
  const key = KEY.exec(line.slice(at));
  if (key) parts.push({ column: at, key: key[1].replace(/^["']|["']$/g, ''), end: at + key[0].length });
  return parts;
}

/* The column at which a comment of the line begins, its length where there is none. */
export function commentAt(line) {
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const one = line[at];
    if (quote) {
      if (one === '\\' && quote === '"') at += 1;
      else if (one === quote) quote = '';
    } else if ((one === '"' || one === "'") && (at === 0 || /[\s[{,:]/.test(line[at - 1]))) quote = one;
    else if (one === '#' && (at === 0 || /\s/.test(line[at - 1]))) return at;
  }
  return line.length;
}

const isBlank = (line) => commentAt(line) === 0 || !line.slice(0, commentAt(line)).trim();
const startOf = (line) => line.length - line.trimStart().length;

function bounds(lines, row) {
  let first = row;
  while (first > 0 && !MARK.test(lines[first])) first -= 1;
  if (MARK.test(lines[first])) first += 1;
  let last = row;
  while (last + 1 < lines.length && !MARK.test(lines[last + 1])) last += 1;
  return { first, last };
}

/* Keys of the mapping whose keys stand at a column around a row, with their rows. */
export function keysAround(lines, row, column) {
  const { first, last } = bounds(lines, row);
  const keys = new Map();
  const take = (at) => {
    const parts = partsOf(lines[at]);
    const key = parts.find((one) => one.key !== undefined && one.column === column);
    if (key) keys.set(key.key, at);
    return parts;
  };
  const own = partsOf(lines[row]);
  const opens = own.some((one) => one.dash && one.column < column);
  take(row);
  for (let at = opens ? first - 1 : row - 1; at >= first; at -= 1) {
    if (isBlank(lines[at])) continue;
    if (startOf(lines[at]) < column) {
      const parts = partsOf(lines[at]);
      if (parts.some((one) => one.dash) && parts.some((one) => one.column === column)) take(at);
      break;
    }
    take(at);
  }
  for (let at = row + 1; at <= last; at += 1) {
    if (isBlank(lines[at])) continue;
    if (startOf(lines[at]) < column) break;
    take(at);
  }
  return keys;
}

/* [{ key, row, column } or { index, row, column }] from the outermost down to what holds the place. */
function holders(lines, row, column, isDash) {
  const { first } = bounds(lines, row);
  const path = [];
  let limit = column;
  let below = isDash ? { index: 0, row, column } : null;
  if (below) path.unshift(below);
  for (let at = row - 1; at >= first && (limit > 0 || below); at -= 1) {
    if (isBlank(lines[at])) continue;
    for (const one of partsOf(lines[at]).reverse()) {
      if (one.dash && below && one.column === limit) below.index += 1;
      else if (one.key !== undefined && below && one.column <= limit) {
        path.unshift({ key: one.key, row: at, column: one.column, line: lines[at] });
        limit = one.column;
        below = null;
      } else if (one.column < limit) {
        if (one.dash) {
          below = { index: 0, row: at, column: one.column };
          path.unshift(below);
        } else path.unshift({ key: one.key, row: at, column: one.column, line: lines[at] });
        limit = one.column;
      }
    }
  }
  return path;
}

const isBlockText = (line) => /:\s*[|>][-+\d]*\s*(#.*)?$/.test(line);

/* { path, keys, side, column, start, key, row } where side is 'key' or 'value', or null inside of comments and of
   texts on lines of their own. `path` leads to the mapping (side 'key') or to the field itself (side 'value'). */
export function placeAt(lines, row, column) {
  const line = lines[row] ?? '';
  const comment = commentAt(line);
  if (MARK.test(line) || (comment < line.length && column > comment)) return null;
  const parts = partsOf(line);
  const key = parts.find((one) => one.key !== undefined);
  const dashes = parts.filter((one) => one.dash && one.column < column);
  const isValue = key !== undefined && column >= key.end;
  const lastDash = dashes.at(-1);
  const contents =
    key?.column ?? (lastDash ? contentAfter(line, lastDash.column) : line.trim() ? startOf(line) : column);
  let above = lastDash
    ? holders(lines, row, dashes[0].column, true)
    : holders(lines, row, key && !isValue && column <= key.column ? key.column : contents, false);
  for (const more of dashes.slice(1)) above = [...above, { index: 0, row, column: more.column }];
  if (above.some((one) => one.line && isBlockText(one.line))) return null;
  const path = above.map((one) => one.key ?? one.index);
  const keys = keysAround(lines, row, contents);
  const base = { row, column: contents, above, hasDash: dashes.length > 0 };
  if (isValue) return { ...base, side: 'value', path: [...path, key.key], key: key.key, keys, start: key.end };
  return { ...base, side: 'key', path, key: key?.key ?? '', keys, start: contents };
}

function contentAfter(line, dash) {
  const rest = line.slice(dash + 1);
  return dash + 1 + (rest.trim() ? rest.length - rest.trimStart().length : 1);
}

/* The text after the last key of a row, without quotes and comment. */
export const valueOf = (lines, row) =>
  lines[row]
    .slice(partsOf(lines[row]).at(-1).end, commentAt(lines[row]))
    .trim()
    .replace(/^["']|["']$/g, '');

/* The kind of the object that holds a place, and the path within it: an entry of a List is an object of its own. */
export function objectAt(lines, place) {
  const { row, path, above } = place;
  const { first, last } = bounds(lines, row);
  let top = first;
  while (top < last && isBlank(lines[top])) top += 1;
  const outer = keysAround(lines, above[0] ? above[0].row : row, 0);
  const kind = outer.has('kind') ? valueOf(lines, outer.get('kind')) : '';
  if (!kind.endsWith('List') || path[0] !== 'items' || typeof path[1] !== 'number') return { kind, path };
  const dash = above[1];
  const column = contentAfter(lines[dash.row], dash.column);
  const inner = keysAround(lines, dash.row, column);
  return { kind: inner.has('kind') ? valueOf(lines, inner.get('kind')) : kind.slice(0, -4), path: path.slice(2) };
}
