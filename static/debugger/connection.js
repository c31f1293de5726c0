/* Whether the server can be reached: one banner while a request or the live socket failed, which goes by itself. */

const ASK_AGAIN = 2000;
/* A socket that comes back at once was not missed. */
const PATIENCE = 1500;

const lost = new Set();
let banner = null;
let timer = 0;

function show() {
  banner.hidden = lost.size === 0;
}

/** Say that a way to the server ("request" or "socket") failed. */
export function connectionLost(way) {
  if (way === 'request') {
    lost.add(way);
    timer ||= setTimeout(probe, ASK_AGAIN);
    show();
  } else if (!lost.has(way)) {
    lost.add(way);
    setTimeout(show, PATIENCE);
  }
}

/** Say that a way to the server works. */
export function connectionBack(way) {
  lost.delete(way);
  show();
}

/* A page that asks for nothing would not notice that the server is back. */
async function probe() {
  timer = 0;
  if (!lost.has('request')) return;
  try {
    await fetch(document.getElementById('run-state').dataset.url);
    connectionBack('request');
  } catch {
    timer = setTimeout(probe, ASK_AGAIN);
  }
}

/** Listen for requests of the page, its own and htmx's. */
export function startConnection() {
  banner = document.getElementById('offline');
  document.addEventListener('cursor:failed', (ev) => ev.detail.isOffline && connectionLost('request'));
  document.addEventListener('cursor:moved', () => connectionBack('request'));
  // The banner says it; a toast for each part that asks again would say it over and over.
  document.body.addEventListener('htmx:sendError', (ev) => {
    ev.stopPropagation();
    connectionLost('request');
  });
  document.body.addEventListener('htmx:afterOnLoad', () => connectionBack('request'));
  addEventListener('online', probe);
}
