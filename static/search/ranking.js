/* Which names match what was typed: the rules of dashboard/search/ranking.py, for the few commands of a page. */
const NEVER = 1_000_000;
const [WHOLE, BEGINNING, WORD, INSIDE, LETTERS] = [0, 1, 2, 4, 8];
const MOST_BETWEEN = 20;
const MOST_WORDS = 8;
const OF_WORD = /[\p{L}\p{N}]/u;

/** Return the words of what was typed, small. */
export function wordsIn(typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return words.length <= MOST_WORDS
    ? words
    : [...words.slice(0, MOST_WORDS - 1), words.slice(MOST_WORDS - 1).join(' ')];
}

function costAt(small, word, at) {
  const isBeginning = at === 0 || at === small.lastIndexOf('/') + 1;
  if (isBeginning) return at + word.length === small.length ? WHOLE : BEGINNING;
  return OF_WORD.test(small[at - 1]) && OF_WORD.test(word[0]) ? INSIDE : WORD;
}

/* The cheapest place of a word in a name. */
function placeOf(small, word) {
  let best = { at: -1, cost: NEVER };
  for (let at = small.indexOf(word); at >= 0; at = small.indexOf(word, at + 1)) {
    const cost = costAt(small, word, at);
    if (cost < best.cost) best = { at, cost };
  }
  return best;
}

/* The places of a word's letters, in order, each where it comes first after the one before. */
function lettersOf(small, word) {
  const places = [];
  let from = 0;
  for (const letter of word) {
    const at = small.indexOf(letter, from);
    if (at < 0) return null;
    places.push(at);
    from = at + letter.length;
  }
  return places;
}

/** Return what the words cost in a name, NEVER's large number where it does not hold them all as they were typed. */
export function costOfHolding(name, words) {
  const small = name.toLowerCase();
  return words.reduce((sum, word) => sum + placeOf(small, word).cost, 0);
}

/** Return what the words cost in a name where letters may stand between theirs. */
export function costByLetters(name, words) {
  const small = name.toLowerCase();
  return words.reduce((sum, word) => {
    const places = lettersOf(small, word);
    if (!places) return sum + NEVER;
    const last = word.length - 1;
    return sum + LETTERS + Math.min(places.at(-1) + 1 - places[0] - (last + 1), MOST_BETWEEN);
  }, 0);
}

/** Return the items whose names match, best first: [{item, cost}]; all of them, in their order, without words. */
export function rank(items, words, nameOf) {
  const by = (costOf) =>
    items
      .map((item) => ({ item, cost: costOf(nameOf(item), words) }))
      .filter(({ cost }) => cost < NEVER)
      .toSorted((a, b) => a.cost - b.cost || (words.length ? nameOf(a.item).length - nameOf(b.item).length : 0));
  const holding = by(costOfHolding);
  return holding.length ? holding : by(costByLetters);
}

/** Return the name in parts [text, isTyped], the typed letters marked. */
export function marked(name, words) {
  const small = name.toLowerCase();
  const typed = new Set();
  for (const word of words) {
    const { at } = placeOf(small, word);
    const places = at < 0 ? (lettersOf(small, word) ?? []) : [...word].map((_, i) => at + i);
    for (const place of places) typed.add(place);
  }
  const parts = [];
  [...name].forEach((letter, i) => {
    const last = parts.at(-1);
    if (last && last[1] === typed.has(i)) last[0] += letter;
    else parts.push([letter, typed.has(i)]);
  });
  return parts;
}
