/* What changed in the workspace, on every page: the socket names topics, and whatever of the page shows one of them is fetched again.
 *
 * The page says its version and socket in #inbox. An element with data-topic="run:7 reviews" shows these topics; one that htmx polls
 * (data-poll) is polled, others are taken by their id from the answer of their data-part (an address that gives parts, asked as htmx asks),
 * without one from the page as it is now. A tab in the background waits until it is looked at: what it fetches counts as read. Elements with data-count="inbox" show that number.
 *
 * The event feed:changes on document has {topics, counts} in its detail; topics null for all. Whatever else the socket says of people is
 * an event by its type, such as feed:people. */
import { showTimes } from '../common/times.js';
import { lasting } from './lasting.js';

/* So that not everybody who looks at a thing asks for it in the same moment. */
const SPREAD_MS = 120;

/** Return whether one of the topics that an element shows (in words) has changed; null is all topics. */
export const concerns = (shown, topics) => topics === null || shown.split(/\s+/).some((one) => topics.includes(one));

/** Return both sets of topics as one; null is all. */
export const joined = (one, other) => (one === null || other === null ? null : [...new Set([...one, ...other])]);

let version = null;
let stale = [];
let timer = 0;
let isFetching = false;
let socket = null;
const openers = [];

/** Say something to the server; without a connection it is lost. */
export const say = (message) => socket?.send(message);

/** Call this whenever the connection is there, the first time included. */
export function sayOnOpen(call) {
  openers.push(call);
  if (socket?.isOpen) call();
}

function count(counts) {
  for (const [name, value] of Object.entries(counts)) {
    for (const node of document.querySelectorAll(`[data-count="${name}"]`)) {
      const most = Number(node.dataset.most);
      node.hidden = value === 0;
      node.textContent = value >= most ? `${most - 1}+` : String(value);
    }
    for (const link of document.querySelectorAll(`a[data-count-of="${name}"]`)) {
      link.title = value ? link.dataset.some : link.dataset.none;
      link.search = value ? link.dataset.query : '';
    }
  }
}

function mark(topics) {
  stale = joined(stale, topics);
  if (timer || (stale !== null && !stale.length)) return;
  timer = setTimeout(refresh, Math.random() * SPREAD_MS);
}

function refresh() {
  timer = 0;
  if (document.visibilityState !== 'visible' || isFetching || (stale !== null && !stale.length)) return;
  const topics = stale;
  stale = [];
  const shown = [...document.querySelectorAll('[data-topic]')].filter((node) => concerns(node.dataset.topic, topics));
  // What is not seen is fetched when it is opened.
  for (const node of shown)
    if ('poll' in node.dataset && node.getClientRects().length) window.htmx?.trigger(node, 'poll');
  const parts = shown.filter((node) => !('poll' in node.dataset) && node.id);
  if (parts.length) fetchParts(parts, topics);
}

/** Return {address: id of the first part that is had there} for elements with data-part; '' is the page's own. */
export function addressesOf(parts) {
  const addresses = {};
  for (const { id, dataset } of parts) addresses[dataset.part ?? ''] ??= id;
  return addresses;
}

async function fetchParts(parts, topics) {
  isFetching = true;
  try {
    await Promise.all(Object.entries(addressesOf(parts)).map(([address, id]) => fetchOne(address, id, topics)));
  } catch {
    // Without a connection the socket is gone as well, and what changed is asked for when it is back.
  } finally {
    isFetching = false;
  }
  // What changed meanwhile.
  mark([]);
}

async function fetchOne(address, id, topics) {
  const headers = { Accept: 'text/html', ...(address && { 'HX-Request': 'true', 'HX-Target': id }) };
  const answer = await fetch(address || location.href, { headers });
  if (answer.ok && !answer.redirected) paint(await answer.text(), topics);
}

/* What is under the pointer stays there where its part can be scrolled; call the answer after the part has changed. */
function held(part) {
  const under = [...part.querySelectorAll(':hover')].at(-1);
  const top = under?.getBoundingClientRect().top;
  return () => {
    if (under?.isConnected) part.scrollTop += under.getBoundingClientRect().top - top;
  };
}

/* The page may have moved on to another address meanwhile: what is not there any more is left out. */
function paint(text, topics) {
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  for (const node of document.querySelectorAll('[data-topic][id]:not([data-poll])')) {
    const newer = concerns(node.dataset.topic, topics) && fresh.getElementById(node.id);
    if (!newer) continue;
    const hold = held(node);
    window.Idiomorph.morph(node, newer, { morphStyle: 'outerHTML', ignoreActiveValue: true });
    hold();
    const there = document.getElementById(node.id);
    window.htmx.process(there);
    showTimes(there);
  }
}

function take(message) {
  if (message.type !== 'changes') {
    document.dispatchEvent(new CustomEvent(`feed:${message.type}`, { detail: message }));
    return;
  }
  version = message.version;
  document.documentElement.dataset.feed = 'live';
  count(message.counts);
  document.dispatchEvent(new CustomEvent('feed:changes', { detail: message }));
  mark(message.topics);
}

/** Connect, where the page belongs to a workspace. */
export function startFeed() {
  const root = document.getElementById('inbox');
  if (!root) return;
  version = Number(root.dataset.version);
  socket = lasting(root.dataset.feed, {
    opened() {
      say({ type: 'since', version });
      for (const call of openers) call();
    },
    message: take,
    lost: () => delete document.documentElement.dataset.feed,
  });
  document.addEventListener('visibilitychange', () => mark([]));
}
