/* Escape closes the top thing (dialogs and menus do that themselves), then clears the filter, then lets the chosen cell, node and pod go, then
   returns to the list of pods. */
import { go, urlFor } from './cursor.js';

/* Parameters of the address that filter, with the fields that set them. */
const FILTERS = [
  ['q', 'node-filter'],
  ['pods', 'pod-filter'],
];

function list() {
  return (
    document.querySelector('#queues .is-cursor') ?? document.querySelector('#queues [data-roving] a[tabindex="0"]')
  );
}

/** Undo one thing of what the address chose; returns whether there was any. */
function undo() {
  const query = new URL(urlFor({}), location.href).searchParams;
  const filter = FILTERS.find(([name]) => query.get(name));
  if (filter) {
    const field = document.getElementById(filter[1]);
    if (field) field.value = '';
    go(urlFor({ [filter[0]]: null, page: null, open: null }), { replace: true });
  } else if (query.get('plugin')) go(urlFor({ plugin: null }));
  else if (query.get('node') || query.get('open')) go(urlFor({ node: null, open: null }));
  else if (query.get('pod')) go(urlFor({ pod: null, uid: null }));
  else return false;
  return true;
}

/** Listen for Escape. */
export function startEscape() {
  document.addEventListener('keydown', (ev) => {
    if (
      ev.key !== 'Escape' ||
      ev.defaultPrevented ||
      ev.isComposing ||
      document.querySelector('dialog[open], details.menu[open]')
    )
      return;
    const field = ev.target.closest('textarea, select, input:not(#node-filter)');
    if (field) {
      field.blur();
      return;
    }
    ev.preventDefault();
    if (undo()) return;
    ev.target.blur?.();
    list()?.focus();
  });
}
