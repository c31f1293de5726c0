/* The guide of fields, asked for once by the first editor that needs it, and what it says of a place. */
import { keysAround, objectAt, valueOf } from './place.js';

let asked = null;
let guide = null;
/* The text that the editor holds where it is no object, such as a timeline; "" for objects. */
let documentName = '';

export const readAs = (name) => (documentName = name);

export function load(address) {
  asked ??= fetch(address)
    .then((answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    })
    .then((content) => (guide = content))
    .catch(() => {
      asked = null;
      return null;
    });
  return asked;
}

export const loaded = () => guide;

/* { kind, fields, field, steps }: the field that a path ends in (null for a whole object), the fields of the mapping
   there, and the path as people write it. Null where the guide does not know the path. */
export function saidOf(lines, place) {
  if (!guide || !place) return null;
  if (documentName) return walk(lines, place, { kind: '', fields: guide.documents[documentName], from: 0 });
  const { kind, path } = objectAt(lines, place);
  const top = guide.kinds[kind] ?? (path.length <= 1 ? HEADS() : null);
  return top ? walk(lines, place, { kind, fields: top, from: place.path.length - path.length }) : null;
}

/* Goes down the path from the step `from`. */
function walk(lines, place, { kind, fields, from }) {
  let field = null;
  let isEntry = false;
  const path = place.path.slice(from);
  for (const [n, step] of path.entries()) {
    if (typeof step === 'number') {
      if (!field?.is_list || isEntry) return null;
      isEntry = true;
      continue;
    }
    if (!fields) return null;
    if (field?.is_keyed && !isEntry) {
      isEntry = true;
      continue;
    }
    if (field?.is_list && !isEntry) return null;
    field = Object.hasOwn(fields, step) ? fields[step] : null;
    if (!field) return null;
    isEntry = false;
    if (field.is_object) {
      const inside = objectIn(lines, place, from + n);
      if (inside) return walk(lines, place, inside);
    }
    const part = field.by_name ? field.by_name[besides(lines, place, from + n)] : field.part;
    fields = part ? guide.parts[part] : null;
  }
  return { kind, fields: field?.is_keyed && !isEntry ? null : fields, field, isEntry, path };
}

/* The object below a field: its kind, and where its path begins. Null while the place is the field itself. */
function objectIn(lines, place, n) {
  const isInside = n + 1 < place.path.length || (place.side === 'key' && n < place.above.length);
  if (!isInside) return null;
  const below = place.above[n + 1] ?? place;
  const keys = keysAround(lines, below.row, below.column);
  const kind = keys.has('kind') ? valueOf(lines, keys.get('kind')) : '';
  return { kind, fields: guide.kinds[kind] ?? HEADS(), from: n + 1 };
}

/* What stands as `name` beside a key of the path. */
function besides(lines, place, n) {
  const { row, column } = place.above[n] ?? place;
  const keys = keysAround(lines, row, column);
  return keys.has('name') ? valueOf(lines, keys.get('name')) : '';
}

/* What every object begins with, before its kind is written. */
const HEADS = () => ({
  apiVersion: { says: 'The version that the object is written in.', sort: 'text', choices: versions() },
  kind: { says: 'The kind of the object.', sort: 'text', choices: Object.keys(guide.kinds).sort() },
  metadata: { says: 'Name, namespace and labels.', sort: 'mapping', part: 'Metadata' },
});

const versions = () => [...new Set(Object.values(guide.kinds).flatMap((kind) => kind.apiVersion.choices ?? []))].sort();

const FEW = 8;
const FIRST = 4;

function oneOf(choices) {
  if (choices.length <= FEW) return `one of ${choices.join(', ')}`;
  return `one of ${choices.length}, such as ${choices.slice(0, FIRST).join(', ')}; Ctrl Space after it lists all`;
}

/* "text, one of A, B; A without it" */
export function sortOf(field) {
  const parts = [field.part ? `${field.is_list ? 'list of mappings' : 'mapping'}` : field.sort];
  if (field.choices && field.sort !== 'true or false') parts.push(oneOf(field.choices));
  if (field.default) parts.push(`${field.default} where it is left out`);
  return parts.join('; ');
}

export const pathText = (kind, path) =>
  [
    kind,
    path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
      .join('')
      .replace(/^\./, ''),
  ]
    .filter(Boolean)
    .join(' ');
