/* Playing: steps at human speed, by cycles or events. Faster than four a second it leaves some out on screen, never in the recording. */
import { go, here, isBusy, urlFor, format, stage } from './cursor.js';

const FRAME = 250;
const KEYS = { '.': 'F10', ',': 'Shift+F10', '>': 'F11', '<': 'Shift+F11' };

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

  get step() {
    return new URL(location.href).searchParams.get('step') === 'event' ? 'event' : 'cycle';
  }

  play() {
    if (this.isPlaying) return;
    if (!this.hasNext() && !here().live) {
      go(urlFor({ seq: 0 }), { replace: true });
    }
    document.dispatchEvent(new CustomEvent('cursor:play'));
    this.owed = 0;
    this.last = performance.now();
    this.timer = setInterval(() => this.tick(), FRAME / 2);
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
    const { seq, head, ahead } = here();
    return this.step === 'event' ? seq < head : ahead.length > 0 || seq < head;
  }

  tick() {
    const now = performance.now();
    // What cannot be shown in time is not made up for later: a slow server slows the film down.
    this.owed = Math.min(
      this.owed + (Number(this.speed.value) * (now - this.last)) / 1000,
      Math.max(1, Number(this.speed.value)),
    );
    this.last = now;
    if (this.owed < 1 || isBusy()) return;
    const steps = Math.floor(this.owed);
    const url = this.target(steps);
    if (url) {
      this.owed -= steps;
      go(url, { replace: true });
    } else if (!here().live) {
      this.pause();
    }
  }

  target(steps) {
    const { seq, head, ahead } = here();
    if (this.step === 'event') return seq < head ? urlFor({ seq: Math.min(seq + steps, head) }) : null;
    if (ahead.length) return urlFor({ cycle: ahead[Math.min(steps, ahead.length) - 1][0] });
    return seq < head ? urlFor({ seq: head }) : null;
  }

  show() {
    this.button = document.getElementById('play');
    const name = this.isPlaying ? 'pause' : 'play';
    this.button.setAttribute('aria-pressed', String(this.isPlaying));
    this.button.setAttribute('aria-label', this.isPlaying ? 'Pause' : 'Play');
    this.button.title = `${this.isPlaying ? 'Pause' : 'Play'} (space)`;
    const use = this.button.querySelector('use');
    use.setAttribute('href', use.getAttribute('href').replace(/#.*/, `#i-${name}`));
  }
}

function isNew() {
  // A run that this browser has not shown yet is watched from its beginning.
  const key = `run-seen-${stage().dataset.run}`;
  const seen = localStorage.getItem(key);
  localStorage.setItem(key, '1');
  return !seen;
}

function wantsMotion() {
  return document.documentElement.dataset.motion !== 'off' && !matchMedia('(prefers-reduced-motion: reduce)').matches;
}

function startSteps() {
  document.addEventListener(
    'click',
    (ev) => {
      const link = ev.target.closest('[data-step]');
      if (!link) return;
      ev.preventDefault();
      ev.stopPropagation();
      history.replaceState(null, '', urlFor({ step: link.dataset.step === 'cycle' ? null : 'event' }));
      for (const one of document.querySelectorAll('[data-step]')) one.toggleAttribute('aria-current', one === link);
      link.setAttribute('aria-current', 'true');
    },
    true,
  );
  document.addEventListener('keydown', (ev) => {
    if (!KEYS[ev.key] || ev.ctrlKey || ev.metaKey || ev.altKey || ev.target.closest('input, select, textarea, dialog'))
      return;
    ev.preventDefault();
    document.querySelector(`[data-key="${KEYS[ev.key]}"]`).click();
  });
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

/** Wire play, speed, granularity and the twins of the function keys; start a run that was not seen before. */
export function startPlayer() {
  const player = new Player();
  document.addEventListener('click', (ev) => {
    if (ev.target.closest('#play')) player.toggle();
  });
  document.addEventListener('cursor:seek', () => player.pause());
  document.addEventListener('cursor:follow', () => player.pause());
  document.addEventListener('cursor:failed', () => player.pause());
  // The transport is morphed with every move; its play button starts out as "play".
  document.addEventListener('cursor:moved', () => player.show());
  const kept = sessionStorage.getItem('run-speed');
  if (kept && [...player.speed.options].some((one) => one.value === kept)) player.speed.value = kept;
  player.speed.addEventListener('change', () => sessionStorage.setItem('run-speed', player.speed.value));
  startSteps();
  speak();
  const fresh = isNew();
  if (fresh && 'plain' in stage().dataset && wantsMotion()) player.play();
  return player;
}
