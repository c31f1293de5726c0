import { eachTile, rowsOf } from '../../../../static/clusters/map/tiles.js';
import { equal, ok } from '../../assert.js';

function tiles(count, weight, size) {
  const found = [];
  const hasRoom = eachTile(count, weight, size, (k, x, y, w, h) => found.push({ k, x, y, w, h }));
  return { hasRoom, found };
}

export function every_pod_has_a_tile_inside_of_the_box() {
  for (const count of [1, 2, 9, 30, 110]) {
    for (const size of [
      { width: 120, height: 20 },
      { width: 60, height: 40 },
      { width: 300, height: 14 },
    ]) {
      for (const weight of [() => 0, () => 1 / count, (k) => (k % 3) / count, () => 0.5]) {
        const { hasRoom, found } = tiles(count, weight, size);
        if (!hasRoom) continue;
        equal(found.length, count);
        for (const { x, y, w, h } of found) {
          ok(w >= 1 && h >= 1 && x >= 0 && y >= 0, 'tiles have a size');
          ok(x + w <= size.width + 1 && y + h <= size.height, `${count} in ${size.width}: ${x} + ${w}`);
        }
      }
    }
  }
}

export function tiles_of_a_row_do_not_meet() {
  const { found } = tiles(20, (k) => k / 300, { width: 200, height: 12 });
  found.slice(1).forEach((one, k) => ok(one.y !== found[k].y || one.x >= found[k].x + found[k].w, `${k}`));
}

export function what_takes_more_of_the_node_is_wider() {
  const { found } = tiles(3, (k) => [0.1, 0.2, 0.4][k], { width: 200, height: 10 });
  ok(found[0].w < found[1].w && found[1].w < found[2].w);
}

export function a_box_without_room_says_so_and_draws_nothing() {
  const { hasRoom, found } = tiles(500, () => 0, { width: 20, height: 10 });
  equal([hasRoom, found.length], [false, 0]);
  equal(rowsOf(0, 100, 100), null);
}
