import { held, moved, revealing, uncovered, whole, zoomed } from '../../../../static/clusters/map/view.js';
import { equal, near, ok } from '../../assert.js';

const SIZE = { w: 800, h: 400 };

export function a_zoom_keeps_the_point_where_it_is() {
  const point = { x: 500, y: 100 };
  const before = zoomed(whole(), 3, { x: 400, y: 200 }, SIZE);
  const after = zoomed(before, 2, point, SIZE);
  near((point.x - after.x) / after.zoom, (point.x - before.x) / before.zoom, 1);
}

export function the_map_never_leaves_its_pane() {
  for (const [dx, dy] of [
    [9999, 9999],
    [-9999, -9999],
    [13, -7],
  ]) {
    const { zoom, x, y } = moved(zoomed(whole(), 4, { x: 0, y: 0 }, SIZE), dx, dy, SIZE);
    ok(x <= 0 && y <= 0 && x + SIZE.w * zoom >= SIZE.w && y + SIZE.h * zoom >= SIZE.h);
  }
}

export function a_map_that_is_higher_than_its_pane_can_be_moved_to_its_end() {
  equal(moved(whole(), 0, -9999, { ...SIZE, whole: 1000 }), { zoom: 1, x: 0, y: -600 });
}

export function zooming_out_ends_at_the_whole_map() {
  const view = zoomed({ zoom: 2, x: -300, y: -100 }, 0.1, { x: 5, y: 5 }, SIZE);
  equal(Object.values(view).map(Math.abs), [1, 0, 0]);
}

export function a_box_outside_is_brought_into_sight() {
  const view = held({ zoom: 4, x: 0, y: 0 }, SIZE);
  const box = { x: 1000, y: 50, w: 40, h: 40 };
  const after = revealing(view, box, SIZE);
  ok(box.x + after.x + box.w <= SIZE.w);
  equal(revealing(view, { x: 100, y: 100, w: 40, h: 40 }, SIZE), view);
}

export function what_comes_into_sight_are_the_edges_moved_away_from() {
  equal(uncovered(10, 0, SIZE), [{ x: 0, y: 0, w: 10, h: 400 }]);
  equal(uncovered(-10, 5, SIZE), [
    { x: 790, y: 0, w: 10, h: 400 },
    { x: 0, y: 0, w: 800, h: 5 },
  ]);
  equal(uncovered(900, 0, SIZE), [{ x: 0, y: 0, ...SIZE }]);
}
