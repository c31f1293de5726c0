/* Where sections (zones), their blocks (pools) and the cells of nodes stand, for a width and height. Pure: numbers in, numbers out.
   Sections follow each other in a fixed order; small ones stand beside each other on one shelf. */
import { cellBox } from '../../common/canvas/grid.js';

export const PAD = 12;
export const HEAD = 20;
export const SUB = 15;
const BETWEEN = 22;
const BLOCK_GAP = 10;
const SHELF_GAP = 10;
const LEAST_SECTION = 120;
const TOP = 5;
const [WIDEST, NARROWEST, TALLEST] = [300, 132, 200];
// A card without labels: a name, bars and tiles.
const COMPACT = { w: 88, h: 64 };
// Smaller than these nodes would be dust: the map is then higher than its pane, with cells of the last size.
const [LARGEST, SMALLEST, FALLBACK] = [96, 5, 10];
const LOW = { w: SMALLEST, h: SMALLEST - 1 };

const columnsOf = (count, rows) => Math.ceil(count / rows);

function widthOf(blocks, rows, cell) {
  const cells = blocks.reduce((sum, { count }) => sum + columnsOf(count, rows), 0);
  return cells * cell.w + (blocks.length - 1) * BLOCK_GAP;
}

/* The fewest rows by which the blocks of a section stand side by side, 0 where they never do. */
function rowsFor(blocks, cell, room) {
  const most = Math.max(...blocks.map(({ count }) => count));
  if (widthOf(blocks, most, cell) > room) return 0;
  let [low, high] = [1, most];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (widthOf(blocks, middle, cell) <= room) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* Blocks that do not fit side by side are one block: their order stays, their heads go. */
function merged({ name, count }) {
  return [{ name, count }];
}

function placed(sections, cell, room) {
  const found = { sections: [], blocks: [], height: 0 };
  let shelf = { x: 0, y: TOP, height: 0 };
  let start = 0;
  sections.forEach((section, number) => {
    const fits = rowsFor(section.blocks, cell, room);
    const blocks = fits ? section.blocks : merged(section);
    const rows = fits || rowsFor(blocks, cell, room);
    const width = Math.max(widthOf(blocks, rows, cell), Math.min(LEAST_SECTION, room));
    if (shelf.x > 0 && (rows > 1 || shelf.x + width > room)) {
      shelf = { x: 0, y: shelf.y + shelf.height + SHELF_GAP, height: 0 };
    }
    const top = shelf.y + HEAD + (blocks.length > 1 ? SUB : 0);
    found.sections.push({ ...section, x: PAD + shelf.x, y: shelf.y, width, room: room - shelf.x });
    let x = PAD + shelf.x;
    for (const { name, count } of blocks) {
      const columns = columnsOf(count, rows);
      found.blocks.push({ name, section: number, x, top, columns, count, start, hasHead: blocks.length > 1 });
      start += count;
      x += columns * cell.w + BLOCK_GAP;
    }
    shelf.height = Math.max(shelf.height, top - shelf.y + rows * cell.h);
    shelf.x += width + BETWEEN;
    found.height = Math.max(found.height, shelf.y + shelf.height);
  });
  return found;
}

function cut(found) {
  // The head of a section ends where the next one of its shelf begins.
  found.sections.forEach((section, k) => {
    const next = found.sections[k + 1];
    if (next && next.y === section.y) section.room = next.x - section.x - 8;
  });
  return found;
}

/** Return {cell: {w, h}, isCards, sections, blocks, height} for sections [{name, count, blocks: [{name, count}]}]; a cell's width and
 * height hold the gap after it. `least` is the height of a card that shows all of its bars. */
export function layout(sections, { width, height, least }) {
  const room = Math.max(NARROWEST, width - 2 * PAD);
  const enough = height - 8;
  const cards =
    widest(sections, [NARROWEST, Math.min(WIDEST, room), least], room, enough) ??
    widest(sections, [COMPACT.w, NARROWEST, COMPACT.h], room, enough);
  if (cards) return cut(cards);
  const squares = Array.from({ length: LARGEST - SMALLEST + 1 }, (_, k) => ({ w: LARGEST - k, h: LARGEST - k }));
  for (const cell of [...squares, LOW]) {
    const found = placed(sections, cell, room);
    if (found.height <= enough) return cut({ ...found, cell, isCards: false });
  }
  const cell = { w: FALLBACK, h: FALLBACK };
  return cut({ ...placed(sections, cell, room), cell, isCards: false });
}

/* Cards of the size that covers most of the pane; null where no size shows all of them. */
function widest(sections, [narrowest, from, least], room, enough) {
  let best = null;
  for (let w = from; w >= narrowest; w -= 4) {
    if (placed(sections, { w, h: least }, room).height > enough) continue;
    const found = stretched(sections, { w, h: least }, room, enough);
    if (!best || found.cell.w * found.cell.h > best.cell.w * best.cell.h) best = found;
  }
  return best;
}

function stretched(sections, cell, room, enough) {
  let best = cell;
  for (let h = cell.h + 4; h <= Math.max(TALLEST, cell.h); h += 4) {
    if (placed(sections, { w: cell.w, h }, room).height > enough) break;
    best = { w: cell.w, h };
  }
  return { ...placed(sections, best, room), cell: best, isCards: true };
}

/** Return the position that an arrow key leads to: the next or previous one, or the nearest cell above or below. */
export function step(found, position, key) {
  const total = found.blocks.reduce((sum, { count }) => sum + count, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return total - 1;
  if (key === 'ArrowLeft') return Math.max(0, position - 1);
  if (key === 'ArrowRight') return Math.min(total - 1, position + 1);
  const down = key === 'ArrowDown' ? 1 : -1;
  const from = cellBox(found, position);
  let best = position;
  let least = Infinity;
  for (const block of found.blocks) {
    const { x, top, columns, count, start } = block;
    const rows = Math.ceil(count / columns);
    const column = Math.max(0, Math.min(columns - 1, Math.round((from.x - x) / found.cell.w)));
    const level = (from.y - top) / found.cell.h;
    const row = down > 0 ? Math.max(0, Math.floor(level + 1e-6) + 1) : Math.min(rows - 1, Math.ceil(level - 1e-6) - 1);
    if (row < 0 || row >= rows) continue;
    const at = Math.min(row * columns + column, count - 1);
    const [dx, dy] = [
      x + (at % columns) * found.cell.w - from.x,
      top + Math.floor(at / columns) * found.cell.h - from.y,
    ];
    if (dy * down <= 0) continue;
    const far = Math.abs(dy) * 4 + Math.abs(dx);
    if (far < least) [least, best] = [far, start + at];
  }
  return best;
}
