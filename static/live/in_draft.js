/* Who else is in a draft, in its bar: letters, and the object that each has open, which a press selects here too. The tree marks that object
   with the same letters, and the event people:nodes says at which nodes others are. */
import { avatar, named } from './faces.js';
import { addressOf } from './here.js';
import { objectAt } from './people.js';

/* More would take the place of the draft's changes. */
const MOST = 4;

let others = [];

const queryOf = (person) => new URLSearchParams(person.query);

function one(person) {
  const object = objectAt(person);
  const link = document.createElement('a');
  link.className = 'draft-one';
  link.href = addressOf(person) ?? '';
  link.append(avatar(person, 'avatar-sm is-here'));
  const said = object ? `${person.name}: ${object}` : `${person.name} has no object open`;
  link.title = said;
  const query = queryOf(person);
  if (query.get('pod')) link.dataset.mapPod = query.get('pod');
  else if (query.get('node')) link.dataset.mapNode = query.get('node');
  else if (query.get('name')) link.dataset.mapObject = String(query);
  const name = named(object || 'has no object open');
  name.className = object ? 'cut' : 'sr';
  link.append(name);
  return link;
}

function showInBar() {
  const place = document.querySelector('[data-draft-people]');
  if (!place) return;
  const shown = others.slice(0, MOST).map(one);
  if (others.length > MOST) {
    const more = document.createElement('span');
    more.className = 'count';
    more.textContent = `+${others.length - MOST}`;
    shown.push(more);
  }
  place.replaceChildren(...shown);
}

const keyOf = (dataset) => dataset.mapPod ?? dataset.mapNode ?? dataset.mapObject ?? '';

function markTree() {
  for (const mark of document.querySelectorAll('#wb-tree .avatar')) mark.remove();
  for (const person of others) {
    const key = keyOf(one(person).dataset);
    if (!key) continue;
    const link = [...document.querySelectorAll('#wb-tree .wb-leaf > a')].find(({ dataset }) => keyOf(dataset) === key);
    link?.after(avatar(person, 'avatar-sm'));
  }
}

function show() {
  showInBar();
  markTree();
  const nodes = others.flatMap((person) => queryOf(person).get('node') ?? []);
  document.dispatchEvent(new CustomEvent('people:nodes', { detail: { nodes } }));
}

/** Show these people in the draft, and again whenever its bar or tree was replaced. */
export function showInDraft(people) {
  const isFirst = !others.length && people.length > 0;
  others = people;
  if (isFirst || document.querySelector('[data-draft-people]')) show();
}

document.addEventListener('htmx:afterSwap', (ev) => {
  if (ev.target.id === 'draftbar' || document.querySelector('[data-draft-people]:empty')) showInBar();
  if (others.length) markTree();
});
