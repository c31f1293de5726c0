/* What a tab that nobody looks at has waited for: its run has ended or stopped, its answers are there. The tab's title says so until it is looked
   at; a notification says so where the reader has switched them on in this browser (data-notify, data-notify-state).

   The run is that of #run-state; the socket of the debugger tells of it first. Answers are parts that htmx asks for again ("load delay"). */
import { on } from '../common/on.js';
import { noteInTitle } from '../common/title.js';

const WANTED = 'notify';
const ENDS = { finished: '✓', failed: '✗', cancelled: '✗', stopped: '‖' };
const WAITING = '[hx-trigger^="load delay"]';

/** Return what is said of a run that got from one state to another: "✓ run 7 finished", "" where it goes on, or stood before. */
export function endOf(name, before, state) {
  return before && !ENDS[before] && ENDS[state] ? `${ENDS[state]} ${name} ${state}` : '';
}

/** Return {on, isAble, text} of the switch: `permission` is the browser's, null where it has no notifications for this address. */
export function switchOf(permission, wanted) {
  if (permission === null)
    return {
      on: false,
      isAble: false,
      text: 'Browsers notify only over https, or on the machine that serves the page.',
    };
  if (permission === 'denied')
    return {
      on: false,
      isAble: false,
      text: 'The browser refuses notifications of this address; its settings allow them.',
    };
  const isOn = wanted && permission === 'granted';
  return {
    on: isOn,
    isAble: true,
    text: isOn ? 'On in this browser, for tabs that nobody looks at.' : 'Off in this browser.',
  };
}

const permission = () => (window.isSecureContext && 'Notification' in window ? Notification.permission : null);
const shownSwitch = () => switchOf(permission(), localStorage.getItem(WANTED) === 'on');

function paintSwitches(root = document) {
  const { on: isOn, isAble, text } = shownSwitch();
  for (const button of root.querySelectorAll('[data-notify]')) {
    button.setAttribute('aria-checked', String(isOn));
    button.setAttribute('aria-disabled', String(!isAble));
  }
  for (const line of root.querySelectorAll('[data-notify-state]')) line.textContent = text;
}

/* The browser asks its user on this click alone. */
async function turn() {
  const { on: isOn, isAble } = shownSwitch();
  if (!isAble) return;
  localStorage.setItem(WANTED, isOn ? 'off' : 'on');
  if (!isOn) await Notification.requestPermission();
  paintSwitches();
}

const isUnseen = () => document.visibilityState !== 'visible';

function say(text) {
  if (!text || !isUnseen()) return;
  noteInTitle(`${text} · Schedscope`);
  if (!shownSwitch().on) return;
  const notification = new Notification(text, { body: 'Schedscope', tag: location.pathname });
  notification.addEventListener('click', () => {
    window.focus();
    notification.close();
  });
}

class Ends {
  constructor() {
    this.state = document.getElementById('run-state')?.dataset.state;
    this.isWaiting = false;
  }

  run(state) {
    const bar = document.getElementById('run-state');
    if (!bar || !state) return;
    say(endOf(bar.dataset.name, this.state, state));
    this.state = state;
  }

  /* A page whose answers were there when it was left waits for nothing. */
  answers() {
    const before = this.isWaiting;
    this.isWaiting = document.querySelector(WAITING) !== null;
    if (before && !this.isWaiting)
      say(
        document.querySelector('.answer-note button')
          ? '✗ not answered'
          : `✓ answered: ${document.title.split(' · ')[0]}`,
      );
  }
}

/** Watch what the page waits for, and wire the switches. */
export function startEndings() {
  const ends = new Ends();
  document.addEventListener('run:status', ({ detail }) => ends.run(detail.state));
  document.addEventListener('run:batch', ({ detail }) => ends.run(detail.state));
  document.addEventListener('htmx:afterSettle', () => {
    ends.run(document.getElementById('run-state')?.dataset.state);
    ends.answers();
    paintSwitches();
  });
  document.addEventListener('visibilitychange', () => {
    ends.answers();
    if (!isUnseen()) noteInTitle('');
  });
  on('click', '[data-notify]', turn);
  paintSwitches();
}
