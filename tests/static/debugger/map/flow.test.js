import { flow, HEAD, labelPlace, meet, PAD } from '../../../../static/debugger/map/flow.js';
import { equal, ok } from '../../assert.js';

const SIZES = [
  { width: 450, height: 380, ratio: 1 },
  { width: 715, height: 590, ratio: 1 },
  { width: 220, height: 300, ratio: 2 },
];
const CLUSTERS = [[1500], [549, 397, 304, 131, 52, 38, 28, 1], [2000, 1500, 900, 600], [70, 5, 5, 4, 3, 2, 1, 1, 1]];

const headed = (counts) => counts.map((count) => ({ count, least: 80 }));

/* The box of a group: its head and its squares. */
function boxes(counts, size) {
  const { pitch, groups } = flow(headed(counts), size);
  return groups.map(({ x, y, columns, top }, k) => ({
    x,
    y,
    w: Math.min(columns, counts[k]) * pitch,
    h: top - y + Math.ceil(counts[k] / columns) * pitch,
  }));
}

export function all_squares_stand_inside_of_the_pane() {
  for (const size of SIZES) {
    for (const counts of CLUSTERS) {
      for (const { x, y, w, h } of boxes(counts, size)) {
        ok(x >= PAD && x + w <= size.width && y >= 0 && y + h <= size.height, `${counts} in ${size.width}`);
      }
    }
  }
}

export function no_group_meets_another() {
  for (const size of SIZES) {
    for (const counts of CLUSTERS) {
      const found = boxes(counts, size);
      found.forEach((one, k) => {
        for (const other of found.slice(k + 1)) ok(!meet(one, other), `${counts} in ${size.width}`);
      });
    }
  }
}

export function small_groups_share_a_row_and_large_ones_do_not() {
  const { groups } = flow(headed([549, 397, 40, 30, 20]), SIZES[1]);
  equal(
    [groups[2].y, groups[3].y, groups[4].y].every((y) => y === groups[2].y),
    true,
  );
  ok(groups[0].y < groups[1].y && groups[1].y < groups[2].y);
  ok(groups[2].x < groups[3].x && groups[3].x < groups[4].x);
  equal(groups[0].top - groups[0].y, HEAD);
}

export function squares_are_whole_device_pixels_and_as_large_as_there_is_room() {
  for (const size of SIZES) {
    const { pitch, size: square } = flow(headed(CLUSTERS[1]), size);
    equal(pitch * size.ratio, Math.round(pitch * size.ratio));
    equal(square * size.ratio, Math.round(square * size.ratio));
    ok(square < pitch);
  }
  ok(flow(headed([100]), SIZES[0]).pitch > flow(headed([1500]), SIZES[0]).pitch);
}

export function labels_cover_neither_heads_nor_each_other() {
  const square = { x: 12, y: 20, w: 8, h: 8 };
  const bounds = { w: 200, h: 100 };
  const head = { x: 12, y: 2, w: 150, h: 16 };
  const label = { w: 60, h: 18 };
  const first = labelPlace(square, label, bounds, [head, square]);
  ok(first && !meet(first, head) && !meet(first, square));
  const second = labelPlace(square, label, bounds, [head, square, first]);
  ok(second && !meet(second, head) && !meet(second, first));
}

export function a_label_without_room_is_left_out() {
  equal(labelPlace({ x: 2, y: 2, w: 4, h: 4 }, { w: 60, h: 18 }, { w: 50, h: 40 }, []), null);
}
