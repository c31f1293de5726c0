/* What the strip says of the place under the pointer: cycle, time, pod and outcome, on the side that is free. */
import { format } from '../cursor.js';
import { full } from './times.js';

const REST = 90;
const KEPT = 400;

function line(...parts) {
  const made = document.createElement('div');
  for (const [text, look] of parts) {
    const part = document.createElement(look === 'b' ? 'b' : 'span');
    if (look && look !== 'b') part.className = look;
    part.textContent = text;
    made.append(part, ' ');
  }
  return made;
}

export class Preview {
  constructor(box, url) {
    this.box = box;
    this.url = url;
    this.known = new Map();
    this.timer = 0;
  }

  /** Show the preview of a place: `x` in pixels of `width`, `mark` in words where the pointer is on one. */
  show({ x, width, cycle, at, mark, help }) {
    this.cycle = cycle;
    this.box.hidden = false;
    const isLeft = x > width / 2;
    this.box.classList.toggle('is-left', isLeft);
    // A length that follows the pointer is an attribute of SVG elsewhere; here it is a property set by script, as the policy allows.
    this.box.style.setProperty('--at', `${isLeft ? width - x : x}px`);
    this.tell({ cycle, at, mark, help });
    clearTimeout(this.timer);
    if (cycle && !this.known.has(cycle)) this.timer = setTimeout(() => this.ask({ cycle, at, mark, help }), REST);
  }

  hide() {
    clearTimeout(this.timer);
    this.box.hidden = true;
    this.cycle = null;
  }

  tell({ cycle, at, mark, help }) {
    const known = this.known.get(cycle);
    const head = cycle
      ? line([`cycle ${format(cycle)}`, 'b'], [`· ${known ? known.time : full(at)}`])
      : line(['before the first cycle', 'b']);
    const pod = known ? line([known.pod, 'b'], [known.namespace, 'soft']) : line([' ']);
    const outcome = known ? line([known.outcome, `m-${known.meaning} tk-outcome`]) : line([' ']);
    const marked = mark ? [line([mark, 'soft'])] : [];
    this.box.replaceChildren(head, ...(cycle ? [pod, outcome] : []), ...marked, line([help, 'soft']));
  }

  async ask(place) {
    const answer = await fetch(`${this.url}?cycle=${place.cycle}`).catch(() => null);
    // Without a connection the preview says what the strip itself knows.
    if (!answer?.ok) return;
    this.known.set(place.cycle, await answer.json());
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value);
    if (this.cycle === place.cycle) this.tell(place);
  }

  /** Forget what a run that goes on may have changed. */
  forget() {
    this.known.clear();
  }
}
