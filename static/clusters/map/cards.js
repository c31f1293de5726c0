/* A node as a card: name, a bar per resource, a tile per pod, and in the foot what else there is to say. */
import { cut, cutName } from '../../common/canvas/paint.js';
import { bar, tiles } from './cells.js';
import { amountsOf, FIT, fitWords, percent, taintsOf } from './data.js';

const LINE = 14;
const BARE_LINE = 8;
const EDGE = 8;
const NAME = 18;
const FOOT = 15;
// From this width on a bar has its label and share, from this height on a card has a foot.
const LABELS = 120;
const FOOTED = 92;

/** Return the height of a card that shows a name, n bars, a row of tiles and a foot. */
export const cardHeight = (bars) => EDGE + NAME + bars * LINE + 14 + FOOT + 7;

/* Where a card's lines stand, in CSS pixels from its corner; `shown` bars have room, the others are named as a number. */
function linesOf({ w, h, ratio }, amounts) {
  const [width, height] = [w / ratio, h / ratio];
  const foot = height >= FOOTED ? FOOT : 0;
  const hasLabels = width >= LABELS;
  const line = hasLabels ? LINE : BARE_LINE;
  const room = Math.floor((height - EDGE - NAME - foot - 14) / line);
  const shown = Math.max(0, Math.min(amounts.length, room));
  const label = hasLabels ? Math.min(64, Math.round(width * 0.32)) : 0;
  const top = NAME + 4 + shown * line + 2;
  return { width, height, foot, shown, label, line, share: hasLabels ? 36 : 0, top };
}

/** Return the box of a card's tiles in device pixels from the cell's corner: {x, y, width, height}. */
export function tileBox(at, amounts, ratio) {
  const { width, height, top, foot } = linesOf({ ...at, ratio }, amounts);
  return {
    x: Math.round(EDGE * ratio),
    y: Math.round(top * ratio),
    width: Math.round((width - 2 * EDGE) * ratio),
    height: Math.round((height - top - foot - 4) * ratio),
  };
}

/** Draw the ground, bars and tiles of a card. */
export function card(scene, look, palette, picture, place, at) {
  const { data, ratio, fit } = scene;
  const amounts = amountsOf(data, place);
  const lines = linesOf({ ...at, ratio }, amounts);
  const state = fit?.states[place] ?? FIT.unknown;
  const isLit = state === FIT.fits;
  picture.fill(at.x, at.y, at.w, at.h, [look.card, look.lit, palette.track][state]);
  if (!isLit) picture.outline(at.x, at.y, at.w, at.h, look.edge);
  let y = NAME + 4;
  for (const { k } of amounts.slice(0, lines.shown)) {
    const left = Math.round((EDGE + lines.label) * ratio);
    const width = Math.round((lines.width - 2 * EDGE - lines.label - lines.share) * ratio);
    const high = Math.max(3, Math.round(5 * ratio));
    const line = { x: at.x + left, y: at.y + Math.round((y + lines.line / 2 - 3) * ratio), w: width, h: high };
    picture.fill(line.x, line.y, width, high, isLit ? look.card : look.plain.track);
    bar(picture, line, high, data.shares[k][place], { ...palette, track: isLit ? look.card : look.plain.track }, true);
    y += lines.line;
  }
  const room = tileBox(at, amounts, ratio);
  tiles(scene, picture, palette, place, { ...room, x: at.x + room.x, y: at.y + room.y });
}

/** Write the words of a card over it. */
export function cardWords({ c, t, data, fit, ratio }, place, at) {
  const amounts = amountsOf(data, place);
  const lines = linesOf({ ...at, ratio }, amounts);
  c.save();
  c.setTransform(ratio, 0, 0, ratio, at.x, at.y);
  c.textBaseline = 'middle';
  c.textAlign = 'left';
  const state = fit?.states[place] ?? FIT.unknown;
  const said = [data.most[place] > 0 ? percent(data.most[place]) : '', '✓', '✕'][state];
  c.font = `600 11px ${t.font}`;
  const name = data.nodes[place];
  const room = lines.width - 2 * EDGE;
  const wide = said ? c.measureText(said).width + 6 : 0;
  // A small card has bars that say its share; its name would be cut to a few figures.
  const isCrowded = state === FIT.unknown && !lines.label && c.measureText(name).width > room - wide;
  const mark = isCrowded ? '' : said;
  c.fillStyle = t.t1;
  c.fillText(cutName(c, name, mark ? room - wide : room), EDGE, 13);
  c.textAlign = 'right';
  c.fillStyle = [data.most[place] > 1 ? t['unsched-f'] : t.t3, t['bound-f'], t['unsched-f']][state];
  c.fillText(mark, lines.width - EDGE, 13);
  c.font = `400 11px ${t.font}`;
  let y = NAME + 4 + LINE / 2;
  for (const { label, share, isOver } of amounts.slice(0, lines.label ? lines.shown : 0)) {
    c.textAlign = 'left';
    c.fillStyle = t.t3;
    c.fillText(cut(c, label, lines.label - 6), EDGE, y);
    c.textAlign = 'right';
    c.fillStyle = isOver ? t['unsched-f'] : t.t2;
    c.fillText(cut(c, share, lines.share), lines.width - EDGE, y);
    y += LINE;
  }
  if (lines.foot) footWords({ c, t, data, fit }, place, lines, amounts.length - lines.shown);
  c.restore();
}

function footWords({ c, t, data, fit }, place, { width, height }, more) {
  const pods = data.firsts[place + 1] - data.firsts[place];
  // A card has no room for the plugin's name before its reason; the words beside the pointer have.
  const said = fitWords(fit, place).replace(/^\w+: /, '');
  const taints = taintsOf(data, place);
  const words = [
    said || `${pods} pod${pods === 1 ? '' : 's'}`,
    !said && data.isCordoned[place] && 'cordoned',
    !said && taints && taints.slice(taints.lastIndexOf('/') + 1),
    more > 0 && `${more} more resource${more === 1 ? '' : 's'}`,
  ];
  c.textAlign = 'left';
  c.fillStyle = [t.t3, t['bound-f'], t['unsched-f']][fit?.states[place] ?? FIT.unknown];
  c.fillText(cut(c, words.filter(Boolean).join(', '), width - 2 * EDGE), EDGE, height - 10);
}
