/* What is said while a change or an undo runs, in the bar of the selection, or in the dialog that is over it. */
import { picks } from './picks.js';
import { grouped } from './words.js';

const bar = document.getElementById('hand');
const part = (name) => bar.querySelector(`[data-hand-${name}]`);
// A change that is over sooner says no numbers.
export const ASK_EVERY = 400;
let clock = 0;
let asking = 0;

/**
 * Say what runs, for how many objects and, where it takes longer, since when and how far it is; "" ends it. A change is asked about
 * by its token.
 */
export function busy(text, dialog = null, token = '') {
  clearInterval(clock);
  clearTimeout(asking);
  part('busy').hidden = !text;
  part('acts').hidden = !!text || !picks().length;
  const place = dialog?.open ? busyIn(dialog, !!text) : null;
  const start = performance.now();
  let share = null;
  const say = () => {
    const seconds = Math.floor((performance.now() - start) / 1000);
    const far = share ? `, ${farOf(share)}` : '\u00a0…';
    for (const one of [part('busy'), place].filter(Boolean)) {
      one.querySelector('[data-hand-doing]').textContent = text;
      one.querySelector('[data-hand-far]').textContent = text && (seconds ? `${far}, ${seconds} s` : far);
      const line = one.querySelector('progress');
      if (share) line.value = share.done / share.total;
      else line.removeAttribute('value');
    }
  };
  say();
  if (!text) return;
  clock = setInterval(say, 1000);
  if (!token) return;
  const mine = clock;
  const ask = async () => {
    const asked = await fetch(`${bar.dataset.progress}?progress=${token}`).catch(() => null);
    const said = asked?.ok ? await asked.json().catch(() => null) : null;
    if (clock !== mine || part('busy').hidden) return;
    if (said?.total) share = said;
    say();
    asking = setTimeout(ask, ASK_EVERY);
  };
  asking = setTimeout(ask, ASK_EVERY);
}

/** Return how far a change is, in words; all objects of it change at once, when the last one is written. */
const farOf = ({ stage, done, total }) => `${grouped(done)} of ${grouped(total)} ${stage}`;

/** Return what a dialog says while it waits; its buttons wait as well. */
function busyIn(dialog, isBusy) {
  for (const button of dialog.querySelectorAll('.dialog-foot button')) button.disabled = isBusy;
  dialog.querySelector('.dialog-foot > .hand-busy')?.remove();
  if (!isBusy) return null;
  const place = part('busy').cloneNode(true);
  place.removeAttribute('data-hand-busy');
  place.hidden = false;
  dialog.querySelector('.dialog-foot').prepend(place);
  return place;
}
