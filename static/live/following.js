/* Following somebody: their moves move this page, until the reader moves by themselves, presses Escape or says stop.
 *
 * Who is followed survives a load of the page only where it was a move of theirs, or where the link of a meeting leads: such an address
 * ends with #follow=12, a member's id. */
import { isForPage } from '../common/keyboard.js';
import { tailed } from '../common/names.js';
import { avatar } from './faces.js';
import { say } from './feed.js';
import { addressOf, bar, me, placeHere } from './here.js';
import { isSame } from './people.js';
import { on } from '../common/on.js';

const KEPT = 'following';
/* A page that loads for longer was not loaded by a move. */
const FRESH_MS = 30_000;

/* {id, person, place}: whom, as last seen, and where the page was led last. */
let followed = null;
let isWaiting = false;

/** Return the id of whom the reader follows, 0 for nobody. */
export const followedId = () => followed?.id ?? 0;

function changed() {
  document.dispatchEvent(new CustomEvent('follow:changed'));
  const { dataset } = document.documentElement;
  delete dataset.following;
  let box = document.getElementById('follow-bar');
  if (!followed) return box?.remove();
  dataset.following = followed.person?.tone ?? '';
  if (!box) {
    box = document.createElement('div');
    box.id = 'follow-bar';
    box.className = 'follow-bar';
    box.setAttribute('role', 'status');
    document.querySelector('.appbar-left').append(box);
  }
  box.replaceChildren(...words(followed.person), stopButton());
  return box;
}

function words(person) {
  const text = document.createElement('span');
  text.className = person ? 'follow-said' : 'cut';
  if (!person) text.textContent = 'The host of this link is not here yet';
  else if (isWaiting) text.append('Waiting for ', tailed(person.name), ' to return');
  else text.append('Following ', tailed(person.name));
  text.title =
    person && isWaiting ? `${person.name} is not here now; this page follows when they are back` : text.textContent;
  return person ? [avatar(person, 'avatar-sm'), text] : [text];
}

function stopButton() {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn btn-sm btn-quiet';
  button.dataset.stopFollowing = '';
  const key = document.createElement('kbd');
  key.textContent = 'Esc';
  button.append('Stop', key);
  return button;
}

/** Follow a member, whose person is given where they are in this room. */
export function follow(id, person = null) {
  if (id === me()) return;
  followed = { id, person, place: null };
  isWaiting = !person;
  // A reader who plays or follows the head of the run follows somebody instead.
  document.dispatchEvent(new CustomEvent('cursor:seek'));
  changed();
  if (person) goTo(person);
  else say({ type: 'where', member: id });
}

/** Follow nobody any more. */
export function stop() {
  if (!followed) return;
  followed = null;
  changed();
}

/** Go where the one who is followed is, once for each of their moves. */
function goTo({ path, query }) {
  const place = { path, query };
  if (isSame(place, followed.place)) return;
  const isFirst = !followed.place;
  followed.place = place;
  const address = addressOf(place);
  if (!address || (isFirst && isSame(place, placeHere()))) return;
  const going = new CustomEvent('place:go', { detail: { address }, cancelable: true });
  if (!document.dispatchEvent(going)) return;
  sessionStorage.setItem(KEPT, JSON.stringify({ id: followed.id, place, at: Date.now() }));
  location.assign(address);
}

function onPeople({ people, left }) {
  if (!followed) return;
  const person = people.get(followed.id);
  const gone = left.find(({ id }) => id === followed.id);
  if (person) {
    followed.person = person;
    isWaiting = false;
    changed();
    goTo(person);
  } else if (gone?.to) goTo(gone.to);
  else if (gone) {
    isWaiting = true;
    changed();
  }
}

/* Where somebody is who was not in this room: asked when a meeting's link is opened, and after they had been away. */
function onPlace({ member, at }) {
  if (member === followedId() && at && isWaiting) goTo(at);
}

/* Of an address that changed without a load, and that nobody led to. */
function onHistory() {
  const here = placeHere();
  if (followed && here && !isSame(here, followed.place)) stop();
}

function onKey(ev) {
  const isBusy = document.querySelector('dialog[open], details.menu[open]');
  if (ev.key !== 'Escape' || !followed || isBusy || !isForPage(ev)) return;
  ev.preventDefault();
  ev.stopPropagation();
  stop();
}

function remembered() {
  const link = /^#follow=([1-9]\d{0,15})$/.exec(location.hash);
  if (link) {
    history.replaceState(history.state, '', location.pathname + location.search);
    return { id: Number(link[1]), place: null };
  }
  const text = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  const kept = text && JSON.parse(text);
  return kept && Date.now() - kept.at < FRESH_MS ? kept : null;
}

/** Begin, with whom a meeting's link or a move of theirs said. */
export function startFollowing() {
  const kept = remembered();
  if (kept && kept.id !== me()) {
    followed = { id: kept.id, person: null, place: kept.place };
    isWaiting = true;
    changed();
  }
  document.addEventListener('people:changed', (ev) => onPeople(ev.detail));
  document.addEventListener('feed:place', (ev) => onPlace(ev.detail));
  // The first answer of the room names everybody: a person who is not among them is asked for.
  document.addEventListener('people:joined', () => {
    if (followed && isWaiting) say({ type: 'where', member: followed.id });
  });
  document.addEventListener('place:own', stop);
  for (const name of ['htmx:pushedIntoHistory', 'htmx:replacedInHistory']) document.addEventListener(name, onHistory);
  addEventListener('popstate', stop);
  document.addEventListener('keydown', onKey, true);
  on('click', '[data-stop-following]', stop);
  on('click', '[data-follow]', (one) => {
    const id = Number(one.dataset.follow);
    bar().querySelector('details').open = false;
    document.dispatchEvent(new CustomEvent('people:pick', { detail: { id } }));
  });
}
