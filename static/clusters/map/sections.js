/* The nodes of the map in sections (zones or pools) and their blocks (pools of a zone), with what their heads say. Pure. */
import { FIT, indexes, percent, shortName } from './data.js';

const number = new Intl.NumberFormat('en');
const plural = (count, word) => `${number.format(count)} ${word}${count === 1 ? '' : 's'}`;

/** Return {order, sections: [{name, count, note, blocks: [{name, count}]}]}: places by position, and groups that follow each other. */
export function sectionsOf(data, grouping, { resource, fit }) {
  const order = indexes(data.orders[grouping]);
  const sections = [];
  for (let i = 0; i < order.length; i++) {
    const [name, block] = namesOf(data, grouping, order[i]);
    let section = sections.at(-1);
    if (section?.name !== name) {
      section = { name, count: 0, start: i, blocks: [] };
      sections.push(section);
    }
    section.count++;
    if (section.blocks.at(-1)?.name !== block) section.blocks.push({ name: block, count: 0 });
    section.blocks.at(-1).count++;
  }
  for (const section of sections) section.note = noteOf(data, order, section, resource, fit);
  return { order, sections };
}

function namesOf(data, grouping, place) {
  const valueOf = (name) => data.groupOf[name] && data.groups[name].values[data.groupOf[name][place]];
  if (grouping === 'none') return ['all nodes', ''];
  const name = valueOf(grouping) || `no ${grouping} label`;
  return [name, grouping === 'zone' && data.groupOf.pool ? valueOf('pool') || 'no pool label' : ''];
}

function noteOf(data, order, { start, count }, resource, fit) {
  const words = [plural(count, 'node')];
  const places = order.subarray(start, start + count);
  if (fit) words.push(`${number.format(places.filter((place) => fit.states[place] === FIT.fits).length)} fit`);
  if (resource >= 0) {
    const [used, whole] = [sum(data.used[resource], places), sum(data.whole[resource], places)];
    const name = shortName(data.resources[resource].name);
    words.push(whole ? `${name} ${percent(used / whole)}` : `no ${name}`);
  } else {
    words.push(
      plural(
        places.reduce((total, place) => total + data.firsts[place + 1] - data.firsts[place], 0),
        'pod',
      ),
    );
  }
  const shares = resource < 0 ? data.most : data.shares[resource];
  const over = places.filter((place) => shares[place] > 1).length;
  if (over) words.push(`${number.format(over)} over 100 %`);
  return words.join(' · ');
}

const sum = (values, places) => places.reduce((total, place) => total + values[place], 0);
