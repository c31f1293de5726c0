/* Playing: steps of the chosen grain at human speed. None is left out: where the page cannot keep up the film slows down. */
import { icon } from '../common/icons.js';
import { go, here, isBusy, stepUrl, urlFor, format } from './cursor.js';
import { on } from '../common/on.js';

const TICK = 20;

class Player {
  constructor() {
    this.button = document.getElementById('play');
    this.speed = document.getElementById('speed');
    this.owed = 0;
    this.timer = 0;
  }

  get isPlaying() {
    return this.timer !== 0;
  }

  play() {
    if (this.isPlaying) return;
    if (!this.hasNext() && !here().live) go(urlFor({ seq: 0 }), { replace: true });
    document.dispatchEvent(new CustomEvent('cursor:play'));
    this.owed = 0;
    this.last = performance.now();
    this.timer = setInterval(() => this.tick(), TICK);
    this.show();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.show();
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  hasNext() {
    return stepUrl() !== null;
  }

  tick() {
    const now = performance.now();
    // What cannot be shown in time is not made up for later: a slow server slows the film down.
    this.owed = Math.min(this.owed + (Number(this.speed.value) * (now - this.last)) / 1000, 1);
    this.last = now;
    if (this.owed < 1 || isBusy()) return;
    const url = stepUrl();
    if (url) {
      this.owed = 0;
      go(url, { replace: true });
    } else if (!here().live) {
      this.pause();
    }
  }

  show() {
    this.button = document.getElementById('play');
    // As the server sends it nothing would hear a click; there is nothing to play before the first event.
    this.button.disabled = 'starting' in this.button.dataset;
    const name = this.isPlaying ? 'pause' : 'play';
    this.button.setAttribute('aria-pressed', String(this.isPlaying));
    this.button.setAttribute('aria-label', this.isPlaying ? 'Pause' : 'Play');
    // The server's title names the key.
    const key = / \(.*\)$/.exec(this.button.title)?.[0] ?? '';
    this.button.title = `${this.isPlaying ? 'Pause' : 'Play'}${key}`;
    if (this.button.dataset.glyph === name) return;
    this.button.dataset.glyph = name;
    const old = this.button.querySelector('svg');
    old.replaceWith(icon(name, old.getAttribute('class')));
  }
}

function speak() {
  const spoken = document.getElementById('spoken');
  let last = -Infinity;
  let timer = 0;
  const say = () => {
    timer = 0;
    last = performance.now();
    const { cycle, seq } = here();
    const pod = document.querySelector('.insp-title h2')?.textContent.trim() ?? '';
    const outcome = document.querySelector('.insp-out')?.textContent.trim().replace(/\s+/g, ' ') ?? '';
    spoken.textContent = cycle ? `Cycle ${format(cycle)}, ${pod}, ${outcome}` : `Event ${format(seq)}`;
  };
  // At most once a second, and always where the cursor came to rest.
  document.addEventListener('cursor:moved', () => {
    timer ||= setTimeout(say, Math.max(0, last + 1000 - performance.now()));
  });
}

/** Wire play, speed, granularity and the twins of the function keys. Nothing plays before somebody asks for it. */
export function startPlayer() {
  const player = new Player();
  on('click', '#play', () => player.toggle());
  document.addEventListener('cursor:seek', () => player.pause());
  document.addEventListener('cursor:follow', () => player.pause());
  document.addEventListener('cursor:failed', () => player.pause());
  // As the server sends the button it is disabled; were it so for the length of a painting, it would lose the focus.
  document.addEventListener('cursor:answer', (ev) => {
    const fresh = ev.detail.body.querySelector('#play');
    if (fresh) fresh.disabled = 'starting' in fresh.dataset;
  });
  // The transport is morphed with every move; its play button starts out as "play".
  document.addEventListener('cursor:moved', () => player.show());
  const kept = sessionStorage.getItem('run-speed');
  if (kept && [...player.speed.options].some((one) => one.value === kept)) player.speed.value = kept;
  player.speed.addEventListener('change', () => sessionStorage.setItem('run-speed', player.speed.value));
  speak();
  player.show();
}
