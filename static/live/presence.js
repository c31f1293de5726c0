/* Who else is here: tells the others where this page is, and shows them in the bar (#people, templates/live/_people.html).
 *
 * Events on document, by which a page that moves without being loaded takes part (others are noticed by htmx's history):
 *   place:ask    detail.address is to be set to the address of what is painted
 *   place:moved  that address has changed
 *   place:own    the reader moves by themselves: nobody is followed any more
 *   place:go     go to detail.address; prevented by a page that can without being loaded
 *   spot:ask     detail.box is to be set to the box of detail.node on the screen, where a picture shows it */
import { toast } from '../common/toast.js';
import { say, sayOnOpen } from './feed.js';
import { showFaces, showList } from './faces.js';
import { follow, followedId, startFollowing, stop } from './following.js';
import { bar, me, placeHere } from './here.js';
import { showInDraft } from './in_draft.js';
import { isSame, pointing, taken } from './people.js';
import { startPointing } from './pointing.js';
import { on } from '../common/on.js';

/* A held key moves a page more often than anybody could look. */
const PAUSE_MS = 200;

let people = new Map();
let sent = null;
let timer = 0;

function look() {
  timer = 0;
  const place = placeHere();
  const active = document.visibilityState === 'visible';
  if (!place || (sent && isSame(sent, place) && sent.active === active)) return;
  sent = { ...place, active };
  say({ type: 'look', ...sent });
}

function lookSoon() {
  timer ||= setTimeout(look, PAUSE_MS);
}

function lookAnew() {
  sent = null;
  look();
}

const others = () => [...people.values()].filter(({ id }) => id !== me());

function take(message) {
  const before = people;
  people = taken(before, message);
  bar().hidden = false;
  showFaces(others());
  showInDraft(others());
  const detail = { people, left: message.left, pointing: pointing(before, message) };
  document.dispatchEvent(new CustomEvent('people:changed', { detail }));
  showList(others(), followedId());
  if (message.all) document.dispatchEvent(new CustomEvent('people:joined'));
}

async function copyMeeting(button) {
  const { path, query } = placeHere();
  const link = new URL(`${button.dataset.meeting}${path}${query ? `?${query}` : ''}`, location.href).href;
  bar().querySelector('details').open = false;
  try {
    await navigator.clipboard.writeText(link);
    toast('Link copied. People who open it follow you', { near: bar() });
  } catch {
    toast(`The browser does not let pages copy here. The link is ${link}`, { meaning: 'backoff' });
  }
}

/** Begin, where the page belongs to a workspace and shows something that people meet at. */
export function startPresence() {
  if (!bar() || !placeHere()) return;
  document.addEventListener('feed:people', (ev) => take(ev.detail));
  document.addEventListener('people:pick', ({ detail: { id } }) => {
    if (followedId() === id) stop();
    else follow(id, people.get(id));
  });
  document.addEventListener('follow:changed', () => showList(others(), followedId()));
  for (const name of ['place:moved', 'htmx:pushedIntoHistory', 'htmx:replacedInHistory', 'visibilitychange'])
    document.addEventListener(name, lookSoon);
  addEventListener('popstate', lookSoon);
  on('click', '[data-meeting]', copyMeeting);
  startFollowing();
  startPointing();
  sayOnOpen(lookAnew);
}
