/* "Search and commands": a field over the page; below it what the server finds, and the commands of the page, best group first.
   Answer and commands are shown in one turn, so that no line moves under the pointer. Without an answer there are the commands. */
import { keyName } from '../common/strokes.js';
import { csrfHeaders } from '../common/htmx-setup.js';
import { commandGroup } from './options.js';
import { wordsIn } from './ranking.js';
import { on } from '../common/on.js';

// Between the last key and the question; who types on asks once.
const PAUSE_MS = 25;
const COMMANDS_ONLY = '>';
const OBJECTS_ONLY = ':';
const NO_ANSWER = 'The server does not answer: these are the commands of this page.';

class Palette {
  constructor(dialog) {
    this.dialog = dialog;
    this.input = dialog.querySelector('input');
    this.list = dialog.querySelector('[data-list]');
    this.none = dialog.querySelector('[data-none]');
    this.workspaceSearch = this.none.querySelector('[data-search-cycles]')?.pathname;
    this.note = dialog.querySelector('[data-note]');
    this.said = dialog.querySelector('[data-said]');
    this.place = dialog.querySelector('[data-place]');
    this.hasServer = this.input.hasAttribute('hx-get');
    // htmx reads the page when all scripts are there; who presses the key before would be asked for nothing.
    if (this.hasServer) window.htmx.process(this.input);
    this.reset();
    this.listen();
  }

  reset() {
    this.kind = '';
    this.at = -1;
    this.shown = null;
    this.isOpening = false;
  }

  listen() {
    this.input.addEventListener('input', () => {
      this.kind = '';
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.ask(), PAUSE_MS);
    });
    this.input.addEventListener('keydown', (ev) => this.onKey(ev));
    // One question is under way at a time; htmx keeps the last one that came meanwhile.
    this.input.addEventListener('htmx:configRequest', (ev) => {
      this.sent = this.asked;
      Object.assign(ev.detail.parameters, { q: this.sent.typed, kind: this.sent.kind, at: here() });
    });
    this.list.addEventListener('htmx:beforeSwap', (ev) => {
      if (this.isLocal) ev.detail.shouldSwap = false;
    });
    this.list.addEventListener('htmx:afterSwap', () => this.show(this.sent));
    for (const failure of ['htmx:responseError', 'htmx:sendError'])
      this.input.addEventListener(failure, () => this.show(this.sent, NO_ANSWER));
    this.list.addEventListener('click', (ev) => this.onClick(ev));
    this.list.addEventListener('pointermove', (ev) => {
      const option = ev.target.closest('[role=option]');
      if (option) this.mark(this.options.indexOf(option), false);
    });
  }

  get options() {
    return [...this.list.querySelectorAll('[role=option]')];
  }

  get wanted() {
    return { typed: this.input.value.trim(), kind: this.kind };
  }

  /* Whether the list is that of what stands in the field. */
  get isCurrent() {
    const { typed, kind } = this.wanted;
    return this.shown?.typed === typed && this.shown.kind === kind;
  }

  open() {
    this.reset();
    this.input.value = '';
    this.list.replaceChildren();
    delete this.dialog.dataset.shown;
    this.dialog.showModal();
    this.input.focus();
    this.ask();
  }

  ask() {
    clearTimeout(this.timer);
    this.asked = this.wanted;
    this.isLocal = !this.hasServer || this.asked.typed.startsWith(COMMANDS_ONLY);
    if (!this.isLocal) {
      window.htmx.trigger(this.input, 'search:ask');
      return;
    }
    this.list.replaceChildren();
    this.show(this.asked);
  }

  show(asked, failure = '') {
    if (failure) this.list.replaceChildren();
    this.shown = asked;
    const found = this.list.querySelector('[data-found]');
    if (found) this.place.textContent = found.dataset.found;
    this.note.textContent = failure || (found?.dataset.note ?? '');
    this.insertCommands();
    this.options.forEach((option, i) => {
      option.id = `option-${i}`;
    });
    this.list.scrollTop = 0;
    this.none.hidden = this.options.length > 0;
    this.pointToCycles(asked.typed);
    const n = this.options.length;
    this.said.textContent = n ? `${n} ${n === 1 ? 'result' : 'results'}` : 'Nothing found';
    this.mark(0);
    this.dialog.dataset.shown = this.shown.typed;
    if (!this.isOpening || !this.isCurrent) return;
    this.isOpening = false;
    this.options[0]?.click();
  }

  /** Lead on to a search of the cycles for what has no name here: of the run that one looks at, else of all. */
  pointToCycles(typed) {
    const link = this.none.querySelector('[data-search-cycles]');
    if (!link) return;
    const text = typed.replace(/^[:>]/, '').trim();
    const value = `"${text.replace(/[\\"]/g, '\\$&')}"`;
    const run = /^\/w\/[^/]+\/runs\/\d+\//.exec(location.pathname);
    link.pathname = run ? `${run[0]}search/` : this.workspaceSearch;
    link.search = new URLSearchParams({ q: `pod~${value} or node~${value} or message~${value}` });
    link.hidden = !text;
  }

  insertCommands() {
    const { typed, kind } = this.shown;
    if (kind || typed.startsWith(OBJECTS_ONLY)) return;
    const group = commandGroup(wordsIn(typed.startsWith(COMMANDS_ONLY) ? typed.slice(1) : typed), (node) =>
      this.carryOut(node),
    );
    if (!group) return;
    const groups = [...this.list.querySelectorAll('[role=group]')];
    const behind = groups.find((one) => Number(one.dataset.cost) > Number(group.dataset.cost));
    if (behind) behind.before(group);
    else if (groups.length) groups.at(-1).after(group);
    else this.list.append(group);
  }

  mark(at, scrolls = true) {
    const { options } = this;
    this.at = options.length ? at : -1;
    options.forEach((option, i) => {
      option.classList.toggle('is-on', i === at);
      option.setAttribute('aria-selected', String(i === at));
    });
    const option = options[at];
    if (option) this.input.setAttribute('aria-activedescendant', option.id);
    else this.input.removeAttribute('aria-activedescendant');
    if (option && scrolls) (at === 0 ? option.parentElement : option).scrollIntoView({ block: 'nearest' });
  }

  carryOut(node) {
    this.dialog.close();
    if (node.matches('input, textarea, select')) node.focus();
    else node.click();
  }

  openKind(kind) {
    this.kind = kind;
    this.ask();
  }

  onClick(ev) {
    const option = ev.target.closest('[role=option]');
    if (!option) return;
    if (option.dataset.openKind) {
      this.openKind(option.dataset.openKind);
      this.input.focus();
    } else if (option.dataset.ref) {
      remember(this.dialog.dataset.opened, option.dataset.ref);
      if (!ev.ctrlKey && !ev.metaKey && !ev.shiftKey) this.dialog.close();
    }
  }

  onKey(ev) {
    // Closed, the field has the focus until the browser draws its next frame: the key is the page's.
    if (!this.dialog.open) return;
    const stroke = keyName(ev);
    const step = { Down: 1, Up: -1, PageDown: 5, PageUp: -5 }[stroke];
    if (step) this.move(step, Math.abs(step) === 1);
    else if (stroke === 'Enter') this.enter();
    else if (stroke === 'Mod+Enter') this.openBeside();
    else if (stroke === 'Shift+Enter') this.enter(true);
    else if (stroke === 'Mod+k') this.dialog.close();
    else if (!(stroke === 'Right' && this.openKindHere()) && !(stroke === 'Escape' && this.closeKind())) return;
    ev.preventDefault();
  }

  move(step, goesRound) {
    const n = this.options.length;
    if (!n) return;
    const at = this.at + step;
    this.mark(goesRound ? (at + n) % n : Math.max(0, Math.min(n - 1, at)));
  }

  /* What was typed last counts, also where its answer is still under way. */
  enter(asksWhy = false) {
    if (!this.isCurrent) this.isOpening = true;
    else this.follow(this.options[this.at], asksWhy);
  }

  /* The page that an option leads to, or the one that says why its pod is where it is. */
  follow(option, asksWhy) {
    if (asksWhy && option?.dataset.why) option.href = option.dataset.why;
    option?.click();
  }

  openBeside() {
    const option = this.options[this.at];
    if (!option?.dataset.ref) return;
    remember(this.dialog.dataset.opened, option.dataset.ref);
    window.open(option.href, '_blank', 'noopener');
  }

  /* Right, at the end of the field, shows all of the kind that the chosen line is of. */
  openKindHere() {
    const { selectionStart, selectionEnd, value } = this.input;
    const more = this.options[this.at]?.closest('[role=group]')?.querySelector('[data-open-kind]');
    if (selectionStart !== value.length || selectionEnd !== value.length || !more) return false;
    this.openKind(more.dataset.openKind);
    return true;
  }

  closeKind() {
    if (!this.kind) return false;
    this.openKind('');
    return true;
  }
}

/* The address of what is on the screen: the debugger's, where a run that is followed has no moment in the bar. */
function here() {
  return document.getElementById('main')?.dataset.address ?? location.pathname + location.search;
}

/* Goes on while the page is left; what was opened matters more than that it is remembered. */
function remember(url, ref) {
  fetch(url, {
    method: 'POST',
    keepalive: true,
    headers: { ...csrfHeaders(), 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ref }),
  }).catch(() => null);
}

/** Wire the field of the app bar and its key (Mod+k). */
export function startSearch() {
  const dialog = document.getElementById('command');
  if (!dialog) return;
  const palette = new Palette(dialog);
  on('click', '[data-show-commands]', () => palette.open());
}
