/* The map's data (dashboard/clusters/map/views.py) with arrays in place of text, and what is said of a node. Pure. */
import { bytes } from '../../common/bytes.js';

const number = new Intl.NumberFormat('en');
export const FIT = Object.freeze({ unknown: 0, fits: 1, refused: 2 });

/** Return the indexes of a column: {values, index, bytes} becomes an array with one number per row. */
export function indexes({ index, bytes: size }) {
  const raw = bytes(index);
  const count = raw.length / size;
  const found = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    for (let k = size - 1; k >= 0; k--) found[i] = found[i] * 256 + raw[i * size + k];
  }
  return found;
}

function numbers(column) {
  const index = indexes(column);
  return Float64Array.from(index, (at) => column.values[at]);
}

/** Return the map: shares by resource, tiles by node, groups; `firsts[place]` is the node's first tile. */
export function unpacked(data) {
  const count = data.nodes.length;
  const resources = data.resources.length;
  const whole = data.allocatable.map(numbers);
  const used = data.requested.map(numbers);
  const shares = whole.map((one, k) => Float32Array.from(one, (free, i) => shareOf(used[k][i], free)));
  const scarcest = new Uint8Array(count);
  const most = new Float32Array(count);
  for (let k = 0; k < resources; k++) {
    for (let i = 0; i < count; i++) {
      if (shares[k][i] <= most[i]) continue;
      most[i] = shares[k][i];
      scarcest[i] = k;
    }
  }
  const tiles = numbers(data.pods.counts);
  const firsts = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) firsts[i + 1] = firsts[i] + tiles[i];
  return {
    ...data,
    count,
    used,
    whole,
    shares,
    scarcest,
    most,
    firsts,
    requests: data.pods.requests.values,
    kinds: indexes(data.pods.requests),
    usedAt: data.requested.map(indexes),
    wholeAt: data.allocatable.map(indexes),
    groupOf: Object.fromEntries(Object.entries(data.groups).map(([name, column]) => [name, indexes(column)])),
    isCordoned: flags(count, data.cordoned),
    taintsAt: indexes(data.taints),
    isAdded: flags(count, data.added),
    placeOf: new Map(data.nodes.map((name, place) => [name, place])),
  };
}

/* Requested where nothing is allocatable is over, whatever the amount. */
function shareOf(used, whole) {
  if (whole > 0) return used / whole;
  return used > 0 ? 9.99 : 0;
}

function flags(count, places) {
  const found = new Uint8Array(count);
  for (const place of places) found[place] = 1;
  return found;
}

/** Return the number of a resource by its name, -1 for the scarcest of each node. */
export function resourceNumber(data, name) {
  return data.resources.findIndex((one) => one.name === name);
}

/** Return the share of each node that fills it: of one resource, or with -1 of its scarcest. */
export function fills(data, resource) {
  return resource < 0 ? data.most : data.shares[resource];
}

/** Return what share of a node a tile's pod takes: of one resource, or with -1 of the one of which it takes most. */
export function weightOf(data, place, tile, resource) {
  const amounts = data.requests[data.kinds[tile]];
  if (resource >= 0) return shareOf(amounts[resource], data.whole[resource][place]);
  let found = 0;
  for (let k = 0; k < amounts.length; k++) found = Math.max(found, shareOf(amounts[k], data.whole[k][place]));
  return found;
}

/** Return a share in words: "38 %", "<1 %". */
export function percent(share) {
  const whole = 100 * share;
  if (whole > 0 && whole < 1) return '<1 %';
  if (whole > 99 && whole < 100) return '>99 %';
  return `${number.format(Math.round(whole))} %`;
}

/** Return {k, label, words, share, isOver} of each resource that a node has or owes; k is the resource's number. */
export function amountsOf(data, place) {
  const rows = [];
  data.resources.forEach(({ name }, k) => {
    const [used, whole] = [data.requested[k], data.allocatable[k]];
    const [at, of] = [data.usedAt[k][place], data.wholeAt[k][place]];
    if (!used.values[at] && !whole.values[of]) return;
    const share = data.shares[k][place];
    const words = whole.values[of] ? percent(share) : 'none here';
    rows.push({
      k,
      label: shortName(name),
      words: `${used.words[at]} of ${whole.words[of]}`,
      share: words,
      isOver: share > 1,
    });
  });
  return rows;
}

/** Return the name of a resource without its domain. */
export function shortName(name) {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Return the zone and pool of a node, those that it has. */
export function groupsOf(data, place) {
  return Object.entries(data.groupOf)
    .map(([name, index]) => data.groups[name].values[index[place]])
    .filter(Boolean);
}

/** Return what is known of a fit by place, from the detail of a fit:lit event; `left` counts nodes that the map has not. */
export function fitOf(data, nodes) {
  const found = { states: new Uint8Array(data.count), scores: [], reasons: [], fits: 0, left: 0, total: nodes.length };
  for (const { node, fits, score, reason } of nodes) {
    const place = data.placeOf.get(node);
    if (fits) found.fits++;
    if (place === undefined) {
      found.left++;
      continue;
    }
    found.states[place] = fits ? FIT.fits : FIT.refused;
    found.scores[place] = score ?? null;
    found.reasons[place] = reason ?? '';
  }
  return found;
}

/** Return {fits, total, left} of nodes of which no map is drawn. */
export function countsOf(nodes) {
  return { fits: nodes.filter((one) => one.fits).length, total: nodes.length, left: 0 };
}

/** Return the taints of a node in one text, "" where it has none. */
export function taintsOf(data, place) {
  return data.taints.values[data.taintsAt[place]];
}

/** Return what the fit says of a node in words, "" where nothing is known of it. */
export function fitWords(fit, place) {
  if (!fit || !fit.states[place]) return '';
  if (fit.states[place] === FIT.refused) return fit.reasons[place] || 'does not fit';
  return fit.scores[place] === null ? 'fits' : `fits, score ${number.format(fit.scores[place])}`;
}

/** Return {text, verdict, state}: what a drop of `{pod, of}` would do, and what the fit says of the node, if anything is known. */
export function dropWords({ pod, of }, to, fit, place) {
  const text = `${pod}${of > 1 ? `, one of ${number.format(of)},` : ''} to ${to}`;
  if (fit?.untried) return { text, verdict: fit.untried, state: FIT.unknown };
  return { text, verdict: place < 0 ? '' : fitWords(fit, place), state: fit?.states[place] ?? FIT.unknown };
}

/** Return the words of the live region and the tooltip for a node. */
export function nodeWords(data, place, fit) {
  const pods = data.firsts[place + 1] - data.firsts[place];
  const head = [
    ...groupsOf(data, place),
    data.isCordoned[place] && 'cordoned',
    taintsOf(data, place) && `taint ${taintsOf(data, place)}`,
    data.isAdded[place] && 'added in this draft',
  ]
    .filter(Boolean)
    .join(', ');
  return { head, pods: `${number.format(pods)} pod${pods === 1 ? '' : 's'}`, fit: fitWords(fit, place) };
}
