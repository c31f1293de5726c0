/* A run that goes on: its counts tick, at most once a second; rows keep their places while somebody is at them. */
import { watch } from '../../live/socket.js';
import { connectionBack, connectionLost, startConnection } from '../connection.js';
import { on } from '../../common/on.js';

const OVER = ['finished', 'failed', 'cancelled'];

/**
 * Return how many of the new top rows are not where they were: rows that came, went or moved.
 * Both are lists of ids in the order of the page.
 */
export function changedRows(before, after) {
  const gone = before.filter((id) => !after.includes(id)).length;
  const moved = after.filter((id, place) => before[place] !== id).length;
  return Math.max(gone, moved);
}

const root = () => document.getElementById('outcomes');
const topRows = (place) => [...place.querySelectorAll('#oc-rows tr.g')].map((row) => row.dataset.row);

class Live {
  constructor() {
    const { socket, head } = root().dataset;
    this.state = document.getElementById('run-state')?.dataset.state;
    if (socket) this.socket = watch(document.body, { url: socket, from: Number(head) });
    if ('behind' in root().dataset) this.ask();
    document.addEventListener('run:head', (ev) => this.head(ev.detail));
    document.addEventListener('run:status', (ev) => this.status(ev.detail));
    on('click', '[data-sort-again]', () => this.take());
    document.addEventListener('pointerleave', () => this.settle(), true);
    document.addEventListener('focusout', () => this.settle());
  }

  head({ seq, cycle }) {
    const format = (number) => number.toLocaleString('en-US');
    for (const one of document.querySelectorAll('#head-seq, [data-head-seq]')) one.textContent = format(seq);
    for (const one of document.querySelectorAll('[data-head-cycle]')) one.textContent = format(cycle);
    this.ask();
  }

  status({ state, connection }) {
    if (connection === 'open') connectionBack('socket');
    else if (connection && !OVER.includes(this.state)) connectionLost('socket');
    if (!state || state === this.state) return;
    this.state = state;
    if (OVER.includes(state)) {
      this.socket.close();
      connectionBack('socket');
      document.getElementById('spoken').textContent = `The run is ${state}`;
    }
    this.bar();
    this.ask();
  }

  /** The bar of the run says what can be done in its new state. */
  bar() {
    const url = `${location.pathname.replace(/outcomes\/$/, '')}state/`;
    window.htmx.ajax('GET', url, { source: '#run-state', target: '#run-state', swap: 'outerHTML' });
  }

  /** Ask for the page once the pause since the last answer is over. */
  ask() {
    this.wanted = true;
    if (this.timer || this.asking) return;
    const wait = Math.max(0, (this.answered ?? 0) + Number(root().dataset.pause ?? 1000) - performance.now());
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.fetch();
    }, wait);
  }

  async fetch() {
    this.asking = true;
    this.wanted = false;
    try {
      const headers = { 'HX-Request': 'true', 'HX-Target': 'outcomes' };
      const answer = await fetch(location.href, { headers, credentials: 'same-origin' });
      connectionBack('request');
      if (answer.ok) this.show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // What fetch throws where the server cannot be reached.
      connectionLost('request');
      this.wanted = true;
    } finally {
      this.asking = false;
      this.answered = performance.now();
      if (this.wanted) this.ask();
    }
  }

  get isFrozen() {
    const rows = document.getElementById('oc-rows');
    return !!rows && (rows.matches(':hover') || rows.contains(document.activeElement));
  }

  show(page) {
    this.page = page.getElementById('outcomes');
    // Newer outcomes are on their way.
    if (this.page && 'behind' in this.page.dataset) this.wanted = true;
    if (!this.isFrozen || !this.page?.querySelector('#oc-rows')) {
      this.take();
      return;
    }
    this.fill();
    this.tell(changedRows(topRows(document), topRows(this.page)));
  }

  /** Bring the counts of rows and of the strip up to date where they are. */
  fill() {
    for (const cell of root().querySelectorAll('[data-cell]')) {
      const newer = this.page.querySelector(`[data-cell="${cell.dataset.cell}"]`);
      if (newer) cell.replaceChildren(...[...newer.childNodes].map((node) => node.cloneNode(true)));
    }
    for (const row of root().querySelectorAll('tr[data-row]')) {
      const newer = this.page.querySelector(`#${CSS.escape(row.id)}`);
      for (const name of ['[data-pods]', '[data-wait]']) {
        const [old, now] = [row.querySelector(name), newer?.querySelector(name)];
        if (old && now) old.textContent = now.textContent;
      }
    }
  }

  tell(changed) {
    const place = document.getElementById('oc-changed');
    if (!place) return;
    place.hidden = !changed;
    if (!changed) return;
    const button = document.createElement('button');
    button.className = 'btn btn-sm';
    button.dataset.sortAgain = '';
    button.textContent = 'Sort again';
    place.replaceChildren(`${changed} ${changed === 1 ? 'group' : 'groups'} changed`, button);
  }

  settle() {
    queueMicrotask(() => {
      if (this.page && !document.getElementById('oc-changed')?.hidden && !this.isFrozen) this.take();
    });
  }

  /** Put the newest page in the place of the one that is shown. */
  take() {
    if (!this.page) return;
    const typed = document.getElementById('oc-q');
    if (typed && document.activeElement === typed) {
      this.fill();
      return;
    }
    window.Idiomorph.morph(root(), this.page, { morphStyle: 'outerHTML' });
    window.htmx.process(root());
    this.page = null;
  }
}

/** Watch the run where it goes on, and ask for outcomes that are behind it. */
export function startLive() {
  startConnection();
  const { socket, behind } = root()?.dataset ?? {};
  return socket || behind !== undefined ? new Live() : null;
}
