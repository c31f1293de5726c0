/* Painting an answer: all of its parts are put in place in one turn of the page, so that none shows another moment than the others. */

/* What scripts drew or fetched into its place stays: the picture of the map, the lines between panes, threads of the same cycle. */
const stays = (old, fresh) =>
  old.matches?.('[data-keep]') ||
  (old.matches?.('.threads-slot') && old.id === fresh.id && old.childElementCount > 0) ||
  isFilled(old, fresh) ||
  isAsked(old, fresh);

/** Whether a place is filled by the answer of another part, and that part is asked the same as before. */
function isFilled(old, fresh) {
  return Boolean(old.dataset?.filledBy) && old.dataset.filledBy === fresh.dataset?.filledBy;
}

/* A part that asks for itself when it comes: its address is what it asks. */
const ASKS_ITSELF = '[id][hx-get][hx-trigger^="load"]';

/** Whether a part shows, or waits for, what the fresh one would ask. */
function isAsked(old, fresh) {
  if (!fresh.matches?.(ASKS_ITSELF) || old.id !== fresh.id) return false;
  return (old.dataset.asked ?? old.getAttribute('hx-get')) === fresh.getAttribute('hx-get');
}

/** An answer that comes into the place of a part is of the address that was asked, whenever it was asked again. */
function noteAsked(ev) {
  const part = document.getElementById(ev.detail.target?.id);
  const path = ev.detail.requestConfig?.path;
  if (part && path) part.dataset.asked = path.replace(/&until=.*$/, '');
}

/** htmx asks by itself for elements that it has not seen before only: a part that asks for something else is a new one. */
function renewAsking(part) {
  for (const fresh of part.querySelectorAll(ASKS_ITSELF)) {
    const old = document.getElementById(fresh.id);
    if (!old || isAsked(old, fresh)) continue;
    const blank = document.createElement(old.localName);
    blank.id = old.id;
    old.replaceWith(blank);
  }
}

document.addEventListener('htmx:afterSwap', noteAsked);

/* Rows of which most differ from step to step are put in place of the old ones, which is quicker than finding out which do. */
function replace(old, fresh) {
  for (const name of fresh.getAttributeNames()) old.setAttribute(name, fresh.getAttribute(name));
  old.replaceChildren(...fresh.childNodes);
}

/** Bring a node up to date; returns whether its inside is still to be compared with the fresh one's. */
function isToBeMorphed(old, fresh) {
  if (stays(old, fresh) || old.isEqualNode(fresh)) return false;
  if (!old.matches?.('[data-replace]') || !fresh.matches?.('[data-replace]')) return true;
  replace(old, fresh);
  return false;
}

const callbacks = { beforeNodeMorphed: isToBeMorphed };
/* What htmx has to know of. */
const ASKING = '[hx-get], [hx-post]';

/** Put each part of the answer (an element with the id that it has on the page) into its place. */
export function paint(body) {
  for (const part of body.querySelectorAll(':scope > [id]')) {
    const place = document.getElementById(part.id);
    if (!place) continue;
    // A person who types goes on while an answer to the letters before comes in. Of anything else that has the focus, as the panes have after a
    // click beside their links, the inside would be left as well.
    const ignoreActiveValue = !!document.activeElement?.matches('input, textarea');
    renewAsking(part);
    window.Idiomorph.morph(place, part, { morphStyle: 'outerHTML', ignoreActiveValue, callbacks });
    for (const one of document.getElementById(part.id).querySelectorAll(ASKING)) window.htmx.process(one);
  }
}

/** Wait until what was painted is on the screen; a page that is not shown does not wait. */
export function shown() {
  if (document.hidden) return Promise.resolve();
  return new Promise((done) => {
    const timer = setTimeout(done, 200);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      // After the frame, not before it.
      setTimeout(done, 0);
    });
  });
}
