/* Several selected objects, beside the map: their list stands in the place of the one that the address selects, which comes back
   when they are selected no more. One alone is selected as a click on it does. */
import { tailed } from '../../common/names.js';
import { SELECTING, paramsOf } from '../selecting.js';
import { hasPicks, pick, picks, singleIn, toggle } from './picks.js';
import { grouped, kindOf, nameOf, words } from './words.js';
import { on } from '../../common/on.js';

// More than a pane has room for; the filter finds the others.
const MOST = 200;
const side = () => document.getElementById('map-selected');

const placeOf = (id) => paramsOf(kindOf(id), id.split('/')[1], nameOf(id));

function addressOf(id) {
  const url = new URL(location.href);
  for (const name of [...SELECTING, 'sel', 'selq']) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(placeOf(id))) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}

function lineOf(id, isOneKind) {
  const [line] = document.getElementById('several-line').content.cloneNode(true).children;
  const link = line.querySelector('a');
  link.href = addressOf(id);
  link.dataset.several = id;
  link.title = `Select ${kindOf(id)} ${nameOf(id)} alone`;
  link.append(tailed(nameOf(id)));
  line.querySelector('.muted').textContent = isOneKind ? '' : kindOf(id);
  const out = line.querySelector('button');
  out.dataset.severalOut = id;
  out.title = `Take ${nameOf(id)} out of the selection`;
  out.setAttribute('aria-label', out.title);
  return line;
}

/** Show the list of these where several are selected and no new object is being written, else what the address says. */
export function showSeveral(ids) {
  const isNew = new URLSearchParams(location.search).has('new');
  const isFor = !isNew && (ids.length > 1 || (ids.length === 1 && ids[0] !== singleIn(location.search)));
  const place = side()?.querySelector('[data-wb-several]');
  if (!place) return;
  side().classList.toggle('is-several', isFor);
  place.hidden = !isFor;
  if (!isFor) return;
  const title = place.querySelector('h2');
  title.textContent = `${words(ids)} selected`;
  title.title = title.textContent;
  const isOneKind = new Set(ids.map(kindOf)).size === 1;
  place.querySelector('ul').replaceChildren(...ids.slice(0, MOST).map((id) => lineOf(id, isOneKind)));
  const more = place.querySelector('[data-several-more]');
  more.hidden = ids.length <= MOST;
  more.textContent = `and ${grouped(ids.length - MOST)} more`;
}

/** Select one object alone, as a click on it does. */
function selectAlone(id) {
  pick([]);
  document.dispatchEvent(new CustomEvent('map:select', { detail: placeOf(id) }));
}

function takeOut(button) {
  const outs = () => [...side().querySelectorAll('[data-several-out]')];
  const at = outs().indexOf(button);
  toggle(button.dataset.severalOut);
  (outs()[at] ?? outs().at(-1))?.focus();
}

const hasMap = () => !!document.getElementById('cluster-map');

on('click', '[data-several-out]', takeOut);
on('click', '[data-several]', (link, ev) => {
  if (!hasMap() || ev.ctrlKey || ev.metaKey || ev.shiftKey) return;
  ev.preventDefault();
  selectAlone(link.dataset.several);
});
document.addEventListener('picks:changed', () => {
  if (hasPicks() && picks().length === 1 && hasMap()) selectAlone(picks()[0]);
});
