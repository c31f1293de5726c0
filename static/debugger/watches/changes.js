/* The changes of one watch over the run (dashboard/debugger/watches/series.py), looked up by the number of events at the cursor. Pure. */

/** Return how many of ascending numbers are at most `limit`. */
export function upTo(numbers, limit) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Changes {
  constructor() {
    this.seqs = [];
    this.ats = [];
    this.texts = [];
    this.numbers = [];
    this.reached = -1;
    this.isCut = false;
  }

  /** Add the part that follows; its seqs and times are differences, the first from 0. */
  add({ reached, cut, seqs, ats, which, texts, numbers }) {
    let seq = 0;
    let at = 0;
    for (let i = 0; i < seqs.length; i++) {
      seq += seqs[i];
      at += ats[i];
      this.seqs.push(seq);
      this.ats.push(at);
      this.texts.push(texts[which[i]]);
      this.numbers.push(numbers[which[i]]);
    }
    this.reached = Math.max(this.reached, reached);
    this.isCut = cut;
  }

  get length() {
    return this.seqs.length;
  }

  /** Return which change holds after that many events, -1 where that is not known. */
  indexAt(seq) {
    return seq > this.reached ? -1 : upTo(this.seqs, seq) - 1;
  }

  /** Return the value in words after that many events, null where it is not known. */
  textAt(seq) {
    const index = this.indexAt(seq);
    return index < 0 ? null : this.texts[index];
  }
}
