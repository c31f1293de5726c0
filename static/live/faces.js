/* People as pages show them: letters in a colour, a name in words. Names are only ever put in as text. */
import { tailed } from '../common/names.js';
import { bar } from './here.js';
import { namesOf, placeWords } from './people.js';

/* More would push the rest of the bar away. */
const MOST_FACES = 5;

function element(name, className, text = '') {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

/** Return the letters of a person in their colour. */
export function avatar({ name, initials, tone, active = true }, className = '') {
  const node = element('span', `avatar avatar-${tone} ${className}`.trim(), initials);
  node.classList.toggle('is-away', !active);
  node.title = active ? name : `${name}, in another tab`;
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', node.title);
  return node;
}

/** Return a name whose direction of writing changes nothing around it. */
export const named = (name) => element('bdi', '', name);

/** Show the letters of the others in the bar. */
export function showFaces(others) {
  const shown = others.length > MOST_FACES ? others.slice(0, MOST_FACES - 1) : others;
  const faces = shown.map((person) => avatar(person, 'avatar-sm is-here'));
  if (shown.length < others.length) faces.push(element('span', 'count', `+${others.length - shown.length}`));
  bar()
    .querySelector('[data-avatars]')
    .replaceChildren(...faces);
  bar().querySelector('[data-here]').textContent = others.length ? 'Here now:' : 'Nobody else is here';
  bar().querySelector('summary').title =
    `${others.length ? `Here now: ${namesOf(others)}` : 'Nobody else is here'} (G P)`;
}

function line(person, followed) {
  const button = element('button', 'menu-item people-one');
  button.type = 'button';
  button.setAttribute('role', 'menuitemcheckbox');
  button.setAttribute('aria-checked', String(person.id === followed));
  button.dataset.follow = person.id;
  const said = element('span', 'people-said');
  const where = person.active ? placeWords(person) : `${placeWords(person)}, in another tab`;
  said.append(tailed(person.name), element('span', 'muted small', where));
  button.append(avatar(person), said, element('span', 'push small', person.id === followed ? 'Following' : 'Follow'));
  return button;
}

/** Show the others in the list, with whom the reader follows; the focus stays with its person. */
export function showList(others, followed) {
  const list = bar().querySelector('[data-list]');
  const focused = document.activeElement?.closest?.('[data-follow]')?.dataset.follow;
  list.replaceChildren(...others.map((person) => line(person, followed)));
  if (focused) list.querySelector(`[data-follow="${focused}"]`)?.focus();
  bar().querySelector('[data-nobody]').hidden = others.length > 0;
}
