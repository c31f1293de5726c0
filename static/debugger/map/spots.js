/* Where each square of the map stands. Squares begin at whole device pixels. Pure. */
import { cellAt } from '../../common/canvas/grid.js';

export class Spots {
  /** Of data {count, groups: [{start, end}]} and the places that flow.js gave to the groups. */
  constructor({ count, groups }, { pitch, size, groups: placed }, ratio) {
    this.groups = placed;
    this.pitch = pitch;
    this.size = size;
    this.ratio = ratio;
    this.pixels = Math.round(size * ratio);
    this.xs = new Int32Array(count);
    this.ys = new Int32Array(count);
    const step = Math.round(pitch * ratio);
    this.cell = { w: step, h: step };
    this.blocks = groups.map(({ start, end }, k) => {
      const { x, top, columns } = placed[k];
      const [left, upper] = [Math.round(x * ratio), Math.round(top * ratio)];
      let column = 0;
      let row = 0;
      for (let i = start; i < end; i++) {
        this.xs[i] = left + column * step;
        this.ys[i] = upper + row * step;
        if (++column < columns) continue;
        column = 0;
        row++;
      }
      return { x: left, top: upper, columns, count: end - start, start };
    });
  }

  /** Return {x, y} of the square of the node at a place. */
  box(place) {
    return { x: this.xs[place] / this.ratio, y: this.ys[place] / this.ratio };
  }

  /** Return the place of the node whose square, or the gap after it, holds a point; -1 where there is none. */
  at(x, y) {
    return cellAt(this, x * this.ratio, y * this.ratio);
  }
}
