/* Where toasts stand: in what the bars at the top leave free, so that nothing that one reads or presses is covered. Where
   that is too little, at the window's foot. */

const LEAST = 300;
const GAP = 8;
const TOP = 4;
const BARS = '.appbar, .runbar';
// What stands in a bar.
const TAKEN =
  '.appbar-left > *, .appbar > .cmd, .appbar-right > *, .runbar > :not(.tabs, .nav), .runbar > :is(.tabs, .nav) > *';

/** Return the stretches [left, right] between `left` and `right` that no box takes, with room to the boxes. */
export function free(left, right, boxes) {
  const found = [];
  let from = left;
  for (const box of boxes.toSorted((a, b) => a.left - b.left)) {
    if (box.left - GAP > from) found.push([from, box.left - GAP]);
    from = Math.max(from, box.right + GAP);
  }
  if (right > from) found.push([from, right]);
  return found;
}

const lengthOf = ([left, right]) => right - left;
const widest = (stretches) => stretches.toSorted((a, b) => lengthOf(b) - lengthOf(a))[0] ?? [0, 0];

/** Return the stretches that are in both lists. */
export function both(some, others) {
  return some.flatMap((one) => others.map((other) => [Math.max(one[0], other[0]), Math.min(one[1], other[1])]));
}

/** Return {left, right, top, bottom} for toasts of this number in bars [{top, bottom, stretches}]; null where none has the room. */
export function roomIn(bars, count) {
  const [first, second] = bars;
  const areas = bars.map(({ top, bottom, stretches }) => ({ top, bottom, stretch: widest(stretches) }));
  if (second) {
    const stretch = widest(both(first.stretches, second.stretches));
    areas.unshift({ top: first.top, bottom: second.bottom, stretch });
  }
  const has = (area) => lengthOf(area.stretch) >= LEAST;
  const found = (count > 1 && second ? areas.slice(0, 1) : areas).filter(has)[0];
  return found ? { left: found.stretch[0], right: found.stretch[1], top: found.top, bottom: found.bottom } : null;
}

const boxesIn = (bar) =>
  [...bar.querySelectorAll(TAKEN)].map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 1);

function barsOf() {
  return [...document.querySelectorAll(BARS)].map((bar) => {
    const { left, right, top, bottom } = bar.getBoundingClientRect();
    return { top, bottom, stretches: free(left + GAP, right - GAP, boxesIn(bar)) };
  });
}

function stand(list, { left, right, top }) {
  list.classList.add('is-in-bars');
  Object.assign(list.style, { left: `${left}px`, top: `${top + TOP}px`, width: `${right - left}px` });
}

/** Put the list of toasts where it covers nothing. */
export function place(list) {
  const room = roomIn(barsOf(), list.children.length);
  if (room) stand(list, room);
  // Words of several lines are higher than the bars.
  if (!room || list.getBoundingClientRect().bottom > room.bottom) {
    list.classList.remove('is-in-bars');
    list.removeAttribute('style');
  }
  list.dataset.placed = '';
}

/** Keep the list of toasts where it covers nothing, whatever comes into it and however the window changes. */
export function startPlaces(list) {
  const again = () => place(list);
  new MutationObserver(again).observe(list, { childList: true, subtree: true, characterData: true });
  addEventListener('resize', again);
  again();
}
