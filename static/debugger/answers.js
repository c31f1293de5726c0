/* Answers of the server by address: the one that is waited for, and those fetched ahead. The last few are kept. */
import { problemIn } from '../common/problem.js';

const KEPT = 12;

/** A problem that the server or the connection has, in words for the reader. */
export class Refusal extends Error {
  constructor(words, { isOffline = false } = {}) {
    super(words);
    this.isOffline = isOffline;
  }
}

/** What the server answered: `parts` are the elements that it holds, fresh each time, for painting uses them up. */
export class Answer {
  constructor(text) {
    this.text = text;
    this.parsed = null;
  }

  /** Parse before anybody waits for it. */
  prepare() {
    this.parsed ??= new DOMParser().parseFromString(this.text, 'text/html').body;
    return this.parsed;
  }

  take() {
    const body = this.prepare();
    this.parsed = null;
    return body;
  }
}

async function ask(url, target) {
  let response;
  try {
    response = await fetch(url, { headers: { 'HX-Request': 'true', 'HX-Target': target } });
  } catch {
    throw new Refusal('No connection to the server. What you see is unchanged.', { isOffline: true });
  }
  if (response.headers.has('HX-Redirect')) {
    location.assign(response.headers.get('HX-Redirect'));
    throw new Refusal('');
  }
  const text = await response.text();
  if (response.ok) return new Answer(text);
  throw new Refusal(problemIn(response, 'What you see is unchanged.'));
}

/** The last answers, least recently used first. A run that goes on changes them: those that may differ are dropped. */
export class Answers {
  constructor({ fetchAnswer = ask, keeps = KEPT } = {}) {
    this.fetchAnswer = fetchAnswer;
    this.keeps = keeps;
    this.kept = new Map();
    this.inFlight = 0;
  }

  /** Return a promise of the answer; one that is under way or kept is not asked for again. Refusals are not kept. */
  get(url, target) {
    const key = `${target} ${url}`;
    const known = this.kept.get(key);
    const found = known ?? this.start(url, target, key);
    this.kept.delete(key);
    this.kept.set(key, found);
    for (const old of this.kept.keys()) {
      if (this.kept.size <= this.keeps) break;
      this.kept.delete(old);
    }
    return found;
  }

  start(url, target, key) {
    this.inFlight++;
    const found = this.fetchAnswer(url, target).finally(() => {
      this.inFlight--;
    });
    found.catch(() => {
      if (this.kept.get(key) === found) this.kept.delete(key);
    });
    return found;
  }

  has(url, target) {
    return this.kept.has(`${target} ${url}`);
  }

  /** Forget the answers for which `differs` says yes, those under way as well; without it forget all. */
  drop(differs = null) {
    if (!differs) this.kept.clear();
    for (const [key, found] of this.kept) {
      const look = (answer) => differs(answer) && this.kept.get(key) === found && this.kept.delete(key);
      found.then(look, () => {});
    }
  }
}
