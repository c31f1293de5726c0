/* Places on the strip. A density (dashboard/debugger/panels/scrubber/density.py) says which axis it is of: "folded" lays cycles side by
   side, each as wide as the others, with a slot for each idle gap; "time" is virtual time. A coordinate is a number on the axis, cycles
   or microseconds; a share says how far along the strip it lies, 0 to 1. */

/* Percent of the strip that one slot takes, and that all take together. */
const SLOT = 0.04;
const SLOTS = 0.4;

export class Axis {
  constructor({ axis, low, high, whole, stretches, gaps, head }) {
    this.isFolded = axis === 'folded';
    this.low = low;
    this.high = high;
    this.whole = whole;
    this.stretches = stretches;
    this.head = head;
    this.slot = gaps.length ? Math.min(SLOT, SLOTS / gaps.length) : 0;
    this.gaps = gaps;
    this.scale = (1 - this.slot * gaps.length) / (high - low);
  }

  /** Return the share of a coordinate; below 0 or above 1 it lies outside of the window. `isEnd`: of what ends there, before a slot. */
  share(coordinate, isEnd = false) {
    let before = 0;
    for (const { after } of this.gaps) {
      if (isEnd ? after < coordinate : after <= coordinate) before += 1;
      else break;
    }
    return (coordinate - this.low) * this.scale + before * this.slot;
  }

  /** Return the coordinate at a share; within a slot it is that of the gap. */
  coordinate(share) {
    let rest = share;
    for (const { after } of this.gaps) {
      const at = (after - this.low) * this.scale;
      if (rest <= at) break;
      if (rest <= at + this.slot) return after;
      rest -= this.slot;
    }
    return Math.min(Math.max(this.low + rest / this.scale, this.low), this.high);
  }

  /** Return where the slots of idle gaps lie: {from, to, gap}, in shares. */
  slots() {
    return this.gaps.map((gap) => {
      const from = this.share(gap.after, true);
      return { from, to: from + this.slot, gap };
    });
  }

  /** Return where a stretch lies: {from, to}, in shares. */
  span(stretch) {
    return this.isFolded
      ? { from: this.share(stretch.first - 1), to: this.share(stretch.last, true) }
      : { from: this.share(stretch.at), to: this.share(stretch.until) };
  }

  /** Return a span without the slots that lie in it: stretches of a long run may hold cycles of both sides of a gap. */
  pieces({ from, to }) {
    const found = [];
    let begin = from;
    for (const slot of this.slots()) {
      if (slot.from <= begin || slot.to >= to) continue;
      found.push({ from: begin, to: slot.from });
      begin = slot.to;
    }
    return [...found, { from: begin, to }];
  }

  /** Return the coordinate of a cursor after that many events, at a virtual time; null where the window's stretches do not say. */
  ofSeq(seq, at) {
    if (!this.isFolded) return at ?? this.timeOf(seq);
    const { stretches } = this;
    const i = stretches.findLastIndex((one) => one.seq < seq);
    if (i < 0) return stretches.length && stretches[0].first === 1 ? 0 : null;
    const { first, last, seq: begin } = stretches[i];
    const next = stretches[i + 1]?.seq ?? (this.high >= this.whole ? stretches[i].end + 1 : null);
    if (next === null && seq > stretches[i].end + 1) return null;
    const done = Math.min((seq - begin) / Math.max((next ?? stretches[i].end + 1) - begin, 1), 1);
    return first - 1 + done * (last - first + 1);
  }

  /** Return the virtual time after that many events, as far as the stretches say. */
  timeOf(seq) {
    return this.stretches.findLast((one) => one.seq <= seq)?.at ?? 0;
  }

  /** Return the coordinate of a cycle's middle, or null outside of the window. */
  ofCycle(number) {
    if (this.isFolded) return number > this.low && number <= this.high ? number - 0.5 : null;
    const stretch = this.stretches.find((one) => one.first <= number && number <= one.last);
    if (!stretch) return null;
    const inside = (number - stretch.first) / Math.max(stretch.last - stretch.first, 1);
    return stretch.at + inside * (stretch.until - stretch.at);
  }

  /** Return the number of the cycle at a coordinate, 0 before the first. */
  cycleAt(coordinate) {
    if (this.isFolded) return Math.min(Math.floor(coordinate) + 1, this.whole, this.head.cycle);
    const stretch = this.stretches.findLast((one) => one.at <= coordinate);
    if (!stretch) return 0;
    const inside = Math.min((coordinate - stretch.at) / Math.max(stretch.until - stretch.at, 1), 1);
    return Math.round(stretch.first + inside * (stretch.last - stretch.first));
  }

  /** Return the virtual time at a coordinate, as far as the stretches tell. */
  timeAt(coordinate) {
    if (!this.isFolded) return coordinate;
    const stretch = this.stretches.findLast((one) => one.first - 1 <= coordinate) ?? this.stretches[0];
    if (!stretch) return 0;
    const inside = Math.min((coordinate - stretch.first + 1) / (stretch.last - stretch.first + 1), 1);
    return stretch.at + Math.max(inside, 0) * (stretch.until - stretch.at);
  }

  /** Return the number of the event at a coordinate. */
  seqAt(coordinate) {
    const cycle = this.cycleAt(coordinate);
    const stretch = this.stretches.find((one) => one.first <= cycle && cycle <= one.last);
    if (!stretch) return 0;
    const inside = this.isFolded
      ? (coordinate - stretch.first + 1) / (stretch.last - stretch.first + 1)
      : (coordinate - stretch.at) / Math.max(stretch.until - stretch.at, 1);
    return Math.round(stretch.seq + Math.min(Math.max(inside, 0), 1) * (stretch.end + 1 - stretch.seq));
  }

  /** Return whether it shows a part of the run. */
  get isZoomed() {
    return this.low > 0 || this.high < this.whole;
  }

  /** Return the window as the density is asked for it. */
  get window() {
    return { low: this.low, high: this.high };
  }
}
