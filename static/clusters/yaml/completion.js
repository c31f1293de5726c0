/* What Ctrl Space offers at a place: fields that are not there yet, or the values of a field. */
import { saidOf, sortOf } from './guide.js';
import { placeAt } from './place.js';

const WORD = /[\w.\-/:]/;

/* [{ value, caption, meta, docText }] for a place of the text. */
export function proposals(lines, row, column) {
  const place = placeAt(lines, row, column);
  const said = saidOf(lines, place);
  if (!said) return [];
  if (place.side === 'value') return valuesOf(said.field, said.isEntry, lines[row].slice(place.start, column));
  const { field, fields, isEntry } = said;
  if (field?.is_list && !isEntry) return entriesOf(field, fields, place);
  if (fields) return keysOf(fields, place, place.column);
  if (field?.is_list && isEntry) return valuesOf(field, true, ' ');
  return freeKeys(field, place);
}

function valuesOf(field, isEntry, before) {
  if (!field || field.part || (field.is_list && !isEntry && !/^\s*\[/.test(before))) return [];
  const values = [...(field.choices ?? []), ...(field.sort.startsWith('mapping') ? [] : (field.ideas ?? []))];
  const lead = before === '' ? ' ' : '';
  return values.map((value) => ({
    value: lead + value,
    caption: value,
    meta: value === field.default ? 'default' : 'value',
    docText: `${value}\n${field.says}`,
  }));
}

const tail = (field, column, isKept) => {
  const inner = ' '.repeat(column + 2);
  if (isKept) return '';
  if (field.is_list) return `:\n${inner}- `;
  return field.part || field.sort.startsWith('mapping') ? `:\n${inner}` : ': ';
};

function keysOf(fields, place, column, lead = '') {
  return Object.entries(fields)
    .filter(([name]) => !place.keys.has(name) || name === place.key)
    .map(([name, field]) => ({
      value: `${lead}${name}${tail(field, column, place.key !== '')}`,
      caption: name,
      meta: field.is_list ? 'list' : field.part ? 'mapping' : (field.sort ?? ''),
      docText: `${name}\n${field.says}\n${sortOf(field)}`,
    }));
}

/* Below a list without a dash: the entry begins with one. */
function entriesOf(field, fields, place) {
  if (!fields) return valuesOf(field, true, ' ').map((one) => ({ ...one, value: `- ${one.value}` }));
  return keysOf(fields, { ...place, keys: new Map() }, place.column + 2, '- ');
}

function freeKeys(field, place) {
  if (!field?.sort?.startsWith('mapping')) return [];
  return (field.ideas ?? [])
    .filter((name) => !place.keys.has(name))
    .map((name) => ({
      value: place.key ? name : `${name}:${field.is_keyed ? `\n${' '.repeat(place.column + 2)}` : ' '}`,
      caption: name,
      meta: 'often used',
      docText: `${name}\n${field.says}`,
    }));
}

/* The list is Ace's own: its hidden text area is not for the keyboard, and a line is called what is written on it. */
const named = new WeakSet();
function nameLines(popup) {
  if (!popup || named.has(popup)) return;
  named.add(popup);
  popup.renderer.textarea.tabIndex = -1;
  const name = () => {
    for (const line of popup.container.querySelectorAll('.ace_line[aria-label]')) line.removeAttribute('aria-label');
  };
  popup.renderer.on('afterRender', name);
  name();
}

export const completer = {
  id: 'fields',
  identifierRegexps: [WORD],
  getCompletions(editor, session, pos, _prefix, answer) {
    answer(
      null,
      proposals(session.doc.getAllLines(), pos.row, pos.column).map((one, n) => ({
        ...one,
        score: 1000 - n,
        completerId: 'fields',
      })),
    );
    setTimeout(() => nameLines(editor.completer?.popup));
  },
};
