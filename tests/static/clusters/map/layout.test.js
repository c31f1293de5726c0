import { cellAt, cellBox } from '../../../../static/common/canvas/grid.js';
import { layout, PAD, step } from '../../../../static/clusters/map/layout.js';
import { equal, ok } from '../../assert.js';

const SIZES = [
  { width: 900, height: 284, least: 106 },
  { width: 1500, height: 760, least: 106 },
  { width: 640, height: 480, least: 120 },
];
const section = (name, ...counts) => ({
  name,
  count: counts.reduce((sum, one) => sum + one, 0),
  blocks: counts.map((count, k) => ({ name: `pool-${k}`, count })),
});
const CLUSTERS = [
  [section('a', 2), section('b', 2), section('c', 3)],
  [section('a', 1)],
  [section('a', 40, 5, 3), section('b', 12)],
  [section('a', ...Array(80).fill(1))],
  [section('a', 500, 300, 200), section('b', 500), section('c', 490, 10)],
  [section('a', 230, 1270, 167), section('b', 233, 1266, 167), section('c', 1667)],
  Array.from({ length: 60 }, (_, k) => section(`z-${k}`, k + 1)),
];
const total = (sections) => sections.reduce((sum, { count }) => sum + count, 0);

function each(call) {
  for (const size of SIZES) for (const sections of CLUSTERS) call(layout(sections, size), sections, size);
}

export function every_node_has_a_cell_inside_of_the_map() {
  each((found, sections, { width, height }) => {
    const high = Math.max(height, found.height);
    for (let i = 0; i < total(sections); i++) {
      const { x, y } = cellBox(found, i);
      ok(x >= PAD && x + found.cell.w <= width - PAD + 1, `${i} of ${total(sections)}: x ${x} in ${width}`);
      ok(y >= 0 && y + found.cell.h <= high, `${i} of ${total(sections)}: y ${y} in ${high}`);
    }
  });
}

export function the_cell_at_the_middle_of_a_cell_is_that_cell() {
  each((found, sections) => {
    for (let i = 0; i < total(sections); i++) {
      const { x, y } = cellBox(found, i);
      equal(cellAt(found, x + found.cell.w / 2, y + found.cell.h / 2), i);
    }
  });
}

export function few_nodes_are_cards_and_thousands_are_squares() {
  ok(layout(CLUSTERS[0], SIZES[0]).isCards);
  const many = layout(CLUSTERS[5], SIZES[1]);
  ok(!many.isCards);
  ok(many.cell.w >= 10, `squares of ${many.cell.w}`);
}

export function only_a_map_of_many_heads_is_higher_than_its_pane() {
  each(({ height: high, cell }, sections, { height }) => {
    if (sections.length < 10) ok(high <= height, `${high} in ${height}`);
    else ok(cell.w >= 6, `cells of ${cell.w}`);
  });
}

export function five_thousand_nodes_are_all_in_sight_in_a_narrow_pane() {
  const zones = ['a', 'b', 'c'].map((name) => section(name, 233, 1267, 167));
  const found = layout(zones, { width: 462, height: 440, least: 106 });
  ok(found.height <= 440, `${found.height} in 440`);
  ok(found.cell.w >= 5 && found.cell.h >= 4, `cells of ${found.cell.w} by ${found.cell.h}`);
}

export function seven_cards_fill_most_of_a_wide_pane() {
  const { cell, blocks } = layout(CLUSTERS[0], { width: 1500, height: 284, least: 106 });
  const last = blocks.at(-1);
  ok(last.x + last.columns * cell.w > 1350, `they end at ${last.x + last.columns * cell.w}`);
}

export function sections_stay_in_their_order() {
  each(({ sections }) => {
    sections.forEach((one, k) => {
      const next = sections[k + 1];
      if (next) ok(next.y > one.y || (next.y === one.y && next.x > one.x));
    });
  });
}

export function arrows_lead_to_a_neighbour_and_come_back() {
  const found = layout(CLUSTERS[4], SIZES[1]);
  equal(step(found, 0, 'ArrowRight'), 1);
  equal(step(found, 1, 'ArrowLeft'), 0);
  equal(step(found, 0, 'ArrowLeft'), 0);
  const below = step(found, 3, 'ArrowDown');
  ok(cellBox(found, below).y > cellBox(found, 3).y);
  equal(step(found, below, 'ArrowUp'), 3);
  equal(step(found, 7, 'Home'), 0);
  equal(step(found, 7, 'End'), 1999);
}

export function walking_down_reaches_the_last_section() {
  const found = layout(CLUSTERS[4], SIZES[1]);
  let at = 0;
  for (let k = 0; k < 200; k++) at = step(found, at, 'ArrowDown');
  ok(at >= 1500, `it ends at ${at}`);
}
