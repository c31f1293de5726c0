/* The command field: everything on the page that can be done or opened, found by typing. Elements offer themselves with data-command="words";
   the main menu is always there. A page that can search on the server sets <meta name="search-url">; its answer is <a class="menu-item"> lines. */
import { icon } from './icons.js';
import { kbds } from './keyboard.js';

const MAX_SHOWN = 60;

function offers() {
  const nodes = document.querySelectorAll('[data-command]');
  return [...nodes]
    .filter((node) => !node.disabled)
    .map((node) => ({ node, words: node.dataset.command || node.textContent.trim() }));
}

function matches(words, typed) {
  const text = words.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((part) => text.includes(part));
}

function line(offer) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'menu-item';
  button.setAttribute('role', 'option');
  const words = document.createElement('span');
  words.className = 'cut';
  words.textContent = offer.words;
  button.append(icon(offer.node.dataset.commandIcon ?? 'right'), words);
  if (offer.node.dataset.key) {
    const keys = document.createElement('span');
    keys.className = 'push row-tight';
    keys.append(...kbds(offer.node.dataset.key));
    button.append(keys);
  }
  button.addEventListener('click', () => {
    document.getElementById('command').close();
    offer.node.click();
  });
  return button;
}

function mark(list, at) {
  const lines = [...list.querySelectorAll('.menu-item')];
  lines.forEach((node, i) => {
    node.classList.toggle('is-on', i === at);
    node.setAttribute('aria-selected', String(i === at));
  });
  lines[at]?.scrollIntoView({ block: 'nearest' });
}

class Palette {
  constructor(dialog) {
    this.dialog = dialog;
    this.input = dialog.querySelector('input');
    this.list = dialog.querySelector('[data-list]');
    this.none = dialog.querySelector('[data-none]');
    this.searchUrl = document.querySelector('meta[name="search-url"]')?.content ?? '';
    this.at = 0;
    this.asked = 0;
    this.input.addEventListener('input', () => this.fill());
    this.input.addEventListener('keydown', (ev) => this.onKey(ev));
  }

  open() {
    this.input.value = '';
    this.dialog.showModal();
    this.input.focus();
    this.fill();
  }

  fill() {
    const typed = this.input.value.trim();
    const found = offers()
      .filter((offer) => matches(offer.words, typed))
      .slice(0, MAX_SHOWN);
    this.list.replaceChildren(...found.map(line));
    this.settle();
    if (this.searchUrl && typed.length > 1) this.search(typed);
  }

  settle() {
    this.at = 0;
    this.none.hidden = this.list.childElementCount > 0;
    mark(this.list, 0);
  }

  search(typed) {
    const turn = ++this.asked;
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      const answer = await fetch(`${this.searchUrl}?q=${encodeURIComponent(typed)}`, {
        headers: { 'HX-Request': 'true' },
      }).catch(() => null);
      // Without the server there are the page's own commands.
      if (!answer?.ok || turn !== this.asked) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      this.list.append(...page.querySelectorAll('a.menu-item'));
      this.settle();
    }, 150);
  }

  onKey(ev) {
    const lines = [...this.list.querySelectorAll('.menu-item')];
    if (ev.key === 'Enter') {
      ev.preventDefault();
      lines[this.at]?.click();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[ev.key];
    if (!step || !lines.length) return;
    ev.preventDefault();
    this.at = (this.at + step + lines.length) % lines.length;
    mark(this.list, this.at);
  }
}

/** Wire the field of the app bar and its key (Mod+k). */
export function startCommand() {
  const dialog = document.getElementById('command');
  if (!dialog) return;
  const palette = new Palette(dialog);
  document.addEventListener('click', (ev) => {
    if (ev.target.closest('[data-show-commands]')) palette.open();
  });
}
