/**
 * The run's live events: connects, says from which seq it has nothing yet, and hands on what comes.
 *
 *   import { watch } from './socket.js';
 *   const live = watch(element, { url: '/ws/w/team/runs/7/', from: 120 });
 *   element.addEventListener('run:batch', (e) => e.detail.events.forEach(show));
 *   live.close();
 *
 * Events on `element` (they bubble):
 *   run:batch   detail = batch: {first, last, events, counts, left_out, head, state}; batches follow each other without gap
 *   run:head    detail = {seq, cycle, at}: how far the run is
 *   run:status  detail = {state, is_pausing, reason, stop}, or {connection: 'open' | 'lost' | 'refused', code};
 *               stop = {name, seq, index} of a stopped run: its breakpoint ("" after a step) and where it stands
 *
 * A connection that is cut comes back by itself with the seq after the last batch, so nothing is missed or doubled.
 */

import { lasting } from './lasting.js';

/** Start watching; returns {close, seq}. `from` is the seq of the first event that the page does not have. */
export function watch(element, { url, from = 0 }) {
  let seq = from;
  const tell = (name, detail) => element.dispatchEvent(new CustomEvent(`run:${name}`, { detail, bubbles: true }));

  function take(message) {
    if (message.type === 'batch') {
      if (message.first !== seq) {
        // Cannot happen while the server keeps its word; asking again from what we have is always right.
        socket.drop();
        return;
      }
      seq = message.last + 1;
      tell('batch', message);
    } else {
      const { state, is_pausing, reason, stop } = message;
      tell('status', { state, is_pausing, reason, stop });
    }
    tell('head', message.head);
  }

  const socket = lasting(url, {
    opened() {
      socket.send({ from: seq });
      tell('status', { connection: 'open' });
    },
    message: take,
    lost: (code, isFinal) => tell('status', { connection: isFinal ? 'refused' : 'lost', code }),
  });

  return {
    get seq() {
      return seq;
    },
    close: () => socket.close(),
  };
}

const watched = new Map();

/** Watch every element with data-run-socket="/ws/..." (and data-run-from="seq") until it leaves the page. */
function watchElements() {
  for (const [element, live] of watched) {
    if (!element.isConnected) {
      live.close();
      watched.delete(element);
    }
  }
  for (const element of document.querySelectorAll('[data-run-socket]')) {
    if (!watched.has(element)) {
      watched.set(
        element,
        watch(element, { url: element.dataset.runSocket, from: Number(element.dataset.runFrom || 0) }),
      );
    }
  }
}

/** Begin on a page, and look again whenever htmx has changed it. */
export function startLive() {
  watchElements();
  document.addEventListener('htmx:afterSettle', watchElements);
}
