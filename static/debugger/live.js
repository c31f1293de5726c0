/* A run that goes on: head and density grow with what the socket brings; with "follow head" the cursor goes along. */
import { again, go, here, refresh, settle, stage, urlFor, format } from './cursor.js';
import { connectionBack, connectionLost } from './connection.js';
import { watch } from '../live/socket.js';
import { on } from '../common/on.js';

const REDRAW = 1000;
const ASK_AGAIN = 500;
const OVER = ['finished', 'failed', 'cancelled'];
class Live {
  constructor(scrubber) {
    this.scrubber = scrubber;
    this.drawn = 0;
    this.isFollowing = false;
    // What the page was rendered with: the first message may already tell of another state.
    this.state = document.getElementById('run-state')?.dataset.state;
    const root = stage();
    // The document hears it: the panes are replaced with every move.
    this.socket = watch(document.body, { url: root.dataset.socket, from: Number(root.dataset.head) });
    document.addEventListener('run:head', (ev) => this.head(ev.detail));
    document.addEventListener('run:status', (ev) => this.status(ev.detail));
    // A batch tells the state as well, and may be the first to do so.
    document.addEventListener('run:batch', (ev) => this.standing(ev.detail.state));
    on('click', '#follow', () => this.follow(!this.isFollowing));
    document.addEventListener('cursor:seek', () => this.follow(false));
    document.addEventListener('cursor:play', () => this.follow(false));
    document.addEventListener('cursor:moved', () => this.show());
  }

  head({ seq, cycle }) {
    const root = stage();
    if (seq <= Number(root.dataset.head)) return;
    const { cycles } = here();
    root.dataset.head = seq;
    root.dataset.cycles = cycle;
    this.count();
    this.redraw();
    this.tellLater();
    refresh();
    if (this.isFollowing) this.goToHead();
    else this.next(seq, cycles);
  }

  next(seq, cycles) {
    // A cursor in the last cycle gets its ways forward when the recording grows.
    if (here().cycle >= cycles && seq > here().seq) again();
  }

  /** Say how far behind the page is where nothing was painted for a while, also while it follows. */
  tellLater() {
    this.telling ??= setTimeout(() => {
      this.telling = null;
      this.show();
    }, REDRAW);
  }

  redraw() {
    const wait = Math.max(0, this.drawn + REDRAW - performance.now());
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.drawn = performance.now();
      this.scrubber.load();
    }, wait);
  }

  status({ state, connection, is_pausing: isPausing, stop }) {
    if (connection === 'open') connectionBack('socket');
    else if (connection && !this.isOver) connectionLost('socket');
    if (!state) return;
    // From stop to stop it may be told of nothing between.
    const stands = stop ? `${stop.seq} ${stop.index}` : '';
    const changed = (this.state && this.state !== state) || (state === 'stopped' && (this.stands ?? stands) !== stands);
    this.state = state;
    this.stands = stands;
    this.standing(isPausing ? 'pausing' : state);
    if (changed) this.changed();
  }

  /** The bar says what the socket says, whatever the page was rendered with. */
  standing(state) {
    const bar = document.getElementById('run-state');
    const now = performance.now();
    if (
      !state ||
      !bar ||
      bar.dataset.state === state ||
      (bar.dataset.state === 'pausing' && state === 'running') ||
      (this.asked?.state === state && now - this.asked.at < ASK_AGAIN)
    )
      return;
    this.asked = { state, at: now };
    refreshBar();
  }

  /** The panes, the bar and the strip say what the new state allows; the server knows. */
  changed() {
    this.isOver = OVER.includes(this.state);
    if (this.isOver) {
      this.socket.close();
      connectionBack('socket');
      document.getElementById('spoken').textContent = `The run is ${this.state}`;
    }
    this.scrubber.load();
    // The head of this message comes after its state.
    queueMicrotask(() => (this.isFollowing ? this.goToHead({ isFresh: true }) : again()));
  }

  follow(yes) {
    const was = this.isFollowing;
    this.isFollowing = yes && here().live;
    if (this.isFollowing) document.dispatchEvent(new CustomEvent('cursor:follow'));
    this.show();
    if (this.isFollowing) this.goToHead();
    else if (was) settle();
  }

  /** The address bar has no moment then, so that the page follows after a reload as well. */
  goToHead({ isFresh = false } = {}) {
    go(urlFor({ seq: here().head }), { replace: true, follows: here().live && !this.isOver, isFresh });
  }

  /** Write the head where the page counts: it comes with messages, and with panes that were made after the last one. */
  count() {
    const { head, cycles } = here();
    for (const one of document.querySelectorAll('[data-head-cycle]')) one.textContent = format(cycles);
    for (const one of document.querySelectorAll('#head-seq, [data-head-seq]')) one.textContent = format(head);
  }

  show() {
    this.count();
    document.getElementById('follow')?.setAttribute('aria-checked', String(this.isFollowing));
    const behind = document.querySelector('[data-behind]');
    const { live, seq, head } = here();
    if (!behind || !live) return;
    behind.textContent = seq >= head ? 'at the head' : `${format(head - seq)} events behind`;
  }
}

function refreshBar() {
  window.htmx.ajax('GET', document.getElementById('run-state').dataset.url, {
    source: '#run-state',
    target: '#run-state',
    swap: 'morph:outerHTML',
  });
}

/** Watch the run where it goes on. */
export function startLive(scrubber) {
  if (!here().live) return;
  const live = new Live(scrubber);
  if ('plain' in stage().dataset) live.follow(true);
  else live.show();
}
