/* The changes of watches, asked for turn by turn until all are there; a run that goes on is asked for what came since. */

/** One question for some watches. `heard` is called with each answer: {state, words, share, series}; state is done, more, waiting or failed. */
export class Loading {
  constructor(url, ids, heard) {
    this.url = url;
    this.ids = ids;
    this.heard = heard;
    this.after = -1;
    this.turn = 0;
    this.control = null;
    this.head = -1;
  }

  get isUnderWay() {
    return this.control !== null;
  }

  /** Ask until everything up to the head is there; once it is, ask for what came since. */
  async load() {
    if (this.isUnderWay) return;
    const mine = new AbortController();
    this.control = mine;
    let again = '';
    try {
      for (;;) {
        const answer = await this.ask(again, mine.signal);
        if (mine.signal.aborted) return;
        if (answer.series) {
          // A worker that had to start again has less than what is here.
          this.after = Math.max(this.after, answer.reached);
          this.head = answer.head;
          this.turn += 1;
        }
        this.heard({ ...answer, share: answer.head ? answer.reached / answer.head : 0 }, this.ids);
        if (answer.state === 'done' || answer.state === 'failed') return;
        again = answer.state === 'waiting' ? `&until=${answer.until}&asker=${answer.asker}` : '';
        if (answer.pause) await new Promise((done) => setTimeout(done, answer.pause));
        if (mine.signal.aborted) return;
      }
    } catch (error) {
      if (!mine.signal.aborted) this.heard({ state: 'failed', words: error.message }, this.ids);
    } finally {
      if (this.control === mine) this.control = null;
    }
  }

  async ask(again, signal) {
    const query = `ids=${this.ids.join(',')}&after=${this.after}&turn=${this.turn}${again}`;
    let response;
    try {
      response = await fetch(`${this.url}?${query}`, { headers: { 'HX-Request': 'true' }, signal });
    } catch {
      throw new Error('no connection to the server');
    }
    if (response.ok) return response.json();
    const problem = response.headers.get('X-Problem');
    throw new Error(problem ? decodeURIComponent(problem) : `the server answered ${response.status}`);
  }

  /** Ask no more; what is there stays. */
  stop() {
    this.control?.abort();
    this.control = null;
  }
}
