/* The guide of fields, asked for once by the first editor that needs it, and what it says of a place. */
import { objectAt } from './place.js';

let asked = null;
let guide = null;

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
  const { kind, path } = objectAt(lines, place);
  const top = guide.kinds[kind] ?? (path.length <= 1 ? HEADS() : null);
  if (!top) return null;
  let fields = top;
  let field = null;
  let isEntry = false;
  for (const step of path) {
    if (typeof step === 'number') {
      if (!field?.is_list || isEntry) return null;
      isEntry = true;
      continue;
    }
    if (!fields) return null;
    if (field?.is_list && !isEntry) return null;
    field = Object.hasOwn(fields, step) ? fields[step] : null;
    if (!field) return null;
    fields = field.part ? guide.parts[field.part] : null;
    isEntry = false;
  }
  return { kind, fields, field, isEntry, path };
}

/* What every object begins with, before its kind is written. */
const HEADS = () => ({
  apiVersion: { says: 'The version that the object is written in.', sort: 'text', choices: versions() },
  kind: { says: 'The kind of the object.', sort: 'text', choices: Object.keys(guide.kinds).sort() },
  metadata: { says: 'Name, namespace and labels.', sort: 'mapping', part: 'Metadata' },
});

const versions = () => [...new Set(Object.values(guide.kinds).flatMap((kind) => kind.apiVersion.choices ?? []))].sort();

/* "text, one of A, B; A without it" */
export function sortOf(field) {
  const parts = [field.part ? `${field.is_list ? 'list of mappings' : 'mapping'}` : field.sort];
  if (field.choices && field.sort !== 'true or false') parts.push(`one of ${field.choices.join(', ')}`);
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
