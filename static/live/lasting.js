/* A websocket that comes back by itself when it was cut, later and later while the server stays away. */

const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;
/** Codes after which trying again is of no use: signed out, no access, no such thing, a message of ours was wrong. */
const FINAL = new Set([4400, 4401, 4403, 4404]);

/** Open `url` (a path) and return {send, drop, close, isOpen}. `opened`, `message(decoded)` and `lost(code, isFinal)` are called with what happens;
    `drop` cuts the connection, so that it begins again. */
export function lasting(url, { opened, message, lost }) {
  const address = new URL(url, location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  let wait = FIRST_WAIT;
  let socket = null;
  let timer = 0;
  let closed = false;

  function connect() {
    timer = 0;
    socket = new WebSocket(address);
    socket.addEventListener('open', opened);
    socket.addEventListener('message', (event) => {
      wait = FIRST_WAIT;
      message(JSON.parse(event.data));
    });
    socket.addEventListener('close', (event) => gone(event.code));
  }

  function gone(code) {
    if (closed) return;
    closed = FINAL.has(code);
    lost(code, closed);
    if (closed) return;
    // Spread out, so that a restarted server is not met by everybody at once.
    timer = setTimeout(connect, wait * (0.5 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }

  function retryNow() {
    if (timer && !closed) {
      clearTimeout(timer);
      connect();
    }
  }

  addEventListener('online', retryNow);
  document.addEventListener('visibilitychange', retryNow);
  connect();

  return {
    get isOpen() {
      return socket.readyState === WebSocket.OPEN;
    },
    send(said) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(said));
    },
    drop() {
      socket.close();
    },
    close() {
      closed = true;
      clearTimeout(timer);
      removeEventListener('online', retryNow);
      document.removeEventListener('visibilitychange', retryNow);
      socket.close();
    },
  };
}
