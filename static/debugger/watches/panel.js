/* The watches below the queues: their values at the cursor, looked up in the page, and a line of each over the run. */
import { csrfHeaders } from '../../common/htmx-setup.js';
import { toast } from '../../common/toast.js';
import { go, here, stage, urlFor } from '../cursor.js';
import { full } from '../scrubber/times.js';
import { Changes } from './changes.js';
import { Loading } from './loading.js';
import { columns, edges, line, range } from './spark.js';
import { on } from '../../common/on.js';
import { problemIn } from '../../common/problem.js';

const COLUMNS = 120;
const HEIGHT = 16;
/* A run that goes on has more events every moment. */
const BETWEEN_HEADS = 2000;

const list = () => document.getElementById('watches');
/* {number of the watch: {row, text, changes, loading, said, shown}}; `shown` is {seq, text} as it was painted last. */
const entries = new Map();
let scrubber = null;
let headTimer = 0;

// ---------------------------------------------------------------- values

/** Return what a row shows for the value after that many events; `isKnown` where it is a value. */
function valueOf({ changes, said }, seq) {
  const text = changes.textAt(seq);
  if (text !== null) return { text, isKnown: true };
  if (changes.isCut) return { text: 'unknown: too many changes', isKnown: false };
  if (said.state === 'failed') return { text: `not computed: ${said.words}`, isKnown: false };
  if (said.state === 'stopped') return { text: 'not computed: stopped', isKnown: false };
  return { text: said.share ? `computed to ${Math.floor(100 * said.share)} %` : said.words || '…', isKnown: false };
}

function show(entry, seq) {
  const value = valueOf(entry, seq);
  const { shown } = entry;
  if (shown.seq === seq && shown.text === value.text) return;
  const isChange = value.isKnown && shown.isKnown && shown.seq !== seq && shown.text !== value.text;
  const was = isChange ? shown.text : '';
  entry.shown = { seq, ...value };
  put(entry, value, was);
}

function put({ row, parts, said }, value, was) {
  if (parts.now.textContent !== value.text) parts.now.textContent = value.text;
  if (parts.was.textContent !== was) parts.was.textContent = was;
  row.classList.toggle('is-changed', was !== '');
  row.classList.toggle('is-unknown', !value.isKnown);
  parts.value.title = value.isKnown ? '' : value.text;
  parts.stop.hidden = !(said.state === 'more' || said.state === 'asked' || said.state === 'waiting') || value.isKnown;
  parts.again.hidden = !['failed', 'stopped'].includes(said.state);
}

/** Paint all values as of the cursor. What it takes is the measure "watches". */
function paint() {
  if (!entries.size) return;
  const start = performance.now();
  const { seq, at } = here();
  const { axis } = scrubber;
  const place = axis.ofSeq(seq, at);
  const x = place === null ? null : axis.share(place, true);
  for (const entry of entries.values()) {
    show(entry, seq);
    mark(entry.parts.here, x);
  }
  performance.measure('watches', { start });
  performance.clearMeasures('watches');
}

function mark(element, share) {
  const isThere = share !== null && share >= 0 && share <= 1;
  element.classList.toggle('is-there', isThere);
  if (!isThere) return;
  const x = (share * COLUMNS).toFixed(2);
  element.setAttribute('x1', x);
  element.setAttribute('x2', x);
}

// ---------------------------------------------------------------- lines

function draw(entry) {
  const { changes, parts } = entry;
  entry.ends = edges(scrubber.axis, changes, COLUMNS);
  const found = columns(changes, entry.ends);
  parts.line.setAttribute('d', line(found, HEIGHT));
  parts.svg.setAttribute('aria-label', described(changes, range(found)));
}

function described(changes, whole) {
  if (!changes.length) return 'nothing is computed yet';
  const times = changes.length === 1 ? 'never changes' : `changes ${changes.length - 1} times`;
  const named = (number) => changes.texts[changes.numbers.indexOf(number)];
  return whole && whole.low < whole.high
    ? `over the run it ${times}, between ${named(whole.low)} and ${named(whole.high)} where the timeline shows it`
    : `over the run it ${times}`;
}

function redraw() {
  for (const entry of entries.values()) draw(entry);
  paint();
}

/** Return the column below the pointer and the change that holds at its end. */
function under(entry, ev) {
  const box = entry.parts.svg.getBoundingClientRect();
  const share = Math.min(Math.max((ev.clientX - box.left) / box.width, 0), 1);
  const column = Math.min(Math.floor(share * COLUMNS), COLUMNS - 1);
  const [before, after] = [entry.ends[column], entry.ends[column + 1]];
  return { share, isChange: after.change > before.change, first: before.change, index: after.change - 1 };
}

function hover(entry, ev) {
  const { share, isChange, first, index } = under(entry, ev);
  const { changes, parts } = entry;
  mark(parts.ghost, share);
  const shown = isChange ? first : index;
  const isKnown = shown >= 0 && entry.ends[0].seq <= changes.reached;
  parts.then.textContent = isKnown ? `${changes.texts[shown]}` : 'not known';
  parts.when.textContent = full(isChange ? changes.ats[first] : scrubber.axis.timeAt(scrubber.axis.coordinate(share)));
  entry.row.classList.add('is-hovered');
}

function leave(entry) {
  entry.row.classList.remove('is-hovered');
  mark(entry.parts.ghost, null);
}

/* To the first change in the column, where it has one: a spike is met as it begins. */
function seek(entry, ev) {
  const { share, isChange, first } = under(entry, ev);
  const { axis } = scrubber;
  const seq = isChange ? entry.changes.seqs[first] : axis.seqAt(axis.coordinate(share));
  document.dispatchEvent(new CustomEvent('cursor:seek'));
  go(urlFor({ seq: Math.min(seq, here().head) }));
}

// ---------------------------------------------------------------- the list

function heard(answer, ids) {
  for (const id of ids) {
    const entry = entries.get(id);
    if (!entry) continue;
    const part = answer.series?.[id];
    if (part) entry.changes.add(part);
    entry.said = { state: answer.state, words: answer.words ?? '', share: answer.share ?? 0 };
    entry.row.dataset.state = answer.state;
    if (part) draw(entry);
    entry.shown.text = null;
  }
  paint();
}

/** Take the rows that are on the page: keep what is there of those that stay, ask for those that are new. */
function take() {
  const rows = [...(list()?.querySelectorAll('[data-watch]') ?? [])];
  const before = new Map(entries);
  entries.clear();
  const fresh = [];
  for (const row of rows) {
    const id = row.dataset.watch;
    const old = before.get(id);
    const entry = old ?? { changes: new Changes(), said: { state: 'asked', words: '', share: 0 }, loading: null };
    Object.assign(entry, { row, parts: partsOf(row), shown: { seq: -1, text: null, isKnown: false } });
    row.dataset.state = entry.said.state;
    entries.set(id, entry);
    listen(entry);
    if (!old) fresh.push(id);
  }
  for (const [id, { loading }] of before) if (!entries.has(id) && loading?.ids.length === 1) loading.stop();
  ask(fresh);
  tell(rows.length);
  redraw();
}

function partsOf(row) {
  const part = (name) => row.querySelector(`[data-part="${name}"]`);
  return Object.fromEntries(
    ['value', 'was', 'now', 'then', 'when', 'stop', 'again', 'svg', 'line', 'here', 'ghost'].map((name) => [
      name,
      part(name),
    ]),
  );
}

/* Hits of a query take longer than all else, so each is a question of its own. */
function ask(ids) {
  const isCounted = (id) => 'counted' in entries.get(id).row.dataset;
  const together = ids.filter((id) => !isCounted(id));
  const groups = [...(together.length ? [together] : []), ...ids.filter(isCounted).map((id) => [id])];
  for (const group of groups) {
    const loading = new Loading(list().dataset.url, group, heard);
    for (const id of group) entries.get(id).loading = loading;
    loading.load();
  }
}

function loadings() {
  return new Set([...entries.values()].map(({ loading }) => loading));
}

function listen(entry) {
  const { svg, stop, again } = entry.parts;
  svg.addEventListener('pointermove', (ev) => hover(entry, ev));
  svg.addEventListener('pointerleave', () => leave(entry));
  svg.addEventListener('click', (ev) => seek(entry, ev));
  stop.addEventListener('click', () => {
    entry.loading.stop();
    heard({ state: 'stopped' }, entry.loading.ids);
  });
  again.addEventListener('click', () => {
    heard({ state: 'asked' }, entry.loading.ids);
    entry.loading.load();
  });
}

/** Say on the tab how many there are. */
function tell(count) {
  for (const place of document.querySelectorAll('[data-count="watches"]')) place.textContent = count;
}

function grown() {
  headTimer ||= setTimeout(() => {
    headTimer = 0;
    for (const loading of loadings()) if (loading.head < here().head) loading.load();
  }, BETWEEN_HEADS);
}

/** Watch what a control of the page names, and show the tab. */
async function watchThis(text) {
  const place = list();
  if (!place) return;
  let response;
  try {
    response = await fetch(place.dataset.addUrl, {
      method: 'POST',
      headers: { ...csrfHeaders(), 'HX-Request': 'true', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ text }),
    });
  } catch {
    toast('No connection to the server. What you see is unchanged.', { meaning: 'error' });
    return;
  }
  if (!response.ok && response.status !== 422) {
    toast(problemIn(response), { meaning: 'error' });
    return;
  }
  replace(await response.text());
  document.getElementById('tab-watches')?.click();
  if (response.ok) toast(`Watching ${text}`, { meaning: 'cursor' });
}

function replace(text) {
  const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('watches');
  if (!fresh) return;
  list().replaceWith(document.adoptNode(fresh));
  window.htmx.process(list());
  take();
}

/** Wire the list, and the controls elsewhere on the page that add to it. */
export function startWatches(strip) {
  if (!list()) return;
  scrubber = strip;
  take();
  document.addEventListener('cursor:moved', paint);
  document.addEventListener('scrubber:axis', redraw);
  document.addEventListener('run:head', grown);
  document.addEventListener('htmx:afterSwap', (ev) => {
    if (ev.detail.elt?.id === 'watches' || ev.target.id === 'watches') take();
  });
  on('click', '[data-watch-this]', (control) => watchThis(control.dataset.watchThis));
  stage().dataset.watches = 'ready';
}
