/* The two canvases of the map: the picture of all nodes, and over it frames of what is hovered, focused and selected. */
import { cellAt } from '../../common/canvas/grid.js';
import { sized, tones } from '../../common/canvas/paint.js';
import { amountsOf, resourceNumber, weightOf } from './data.js';
import { cardHeight } from './cards.js';
import { boxOf, draw, frame, tilesIn } from './draw.js';
import { layout } from './layout.js';
import { sectionsOf } from './sections.js';
import { eachTile } from './tiles.js';
import { moved, revealing, uncovered, whole, zoomed } from './view.js';

const IN_MEMORY = { willReadFrequently: true, alpha: false };
const MOST_BARS = 5;
const BELOW = 8;
const NOWHERE = Object.freeze({ place: -1, tile: -1 });

export class Stage {
  /** Of the pane, whose dataset says what is chosen and selected, and the map's data. */
  constructor(root, data) {
    this.root = root;
    this.scene = null;
    this.focused = -1;
    this.pickedNames = [];
    this.others = [];
    this.band = null;
    this.take(data);
  }

  /** Take other data in the place of the present; the view and the focused node stay, by its name. */
  take(data) {
    const name = this.data?.nodes[this.focused];
    this.data = data;
    this.fit = null;
    this.names = null;
    this.hovered = NOWHERE;
    this.focused = (name && data.placeOf.get(name)) ?? -1;
    this.picked = this.pickedPlaces();
    const bars = data.nodes.map((_, place) => amountsOf(data, place).length);
    this.least = cardHeight(Math.min(MOST_BARS, Math.max(1, ...bars.slice(0, 200))));
  }

  /** Lay all nodes out for the pane as it is now, and draw them; the view is kept where the size is the same. */
  arrange() {
    const { root, data, fit } = this;
    const { width, height } = root.getBoundingClientRect();
    if (!width || !height) return;
    const size = this.sizeNow();
    const resource = resourceNumber(data, root.dataset.resource);
    const grouping = data.orders[root.dataset.group] ? root.dataset.group : 'none';
    const { order, sections } = sectionsOf(data, grouping, { resource, fit });
    const positions = new Uint32Array(data.count);
    order.forEach((place, position) => (positions[place] = position));
    const [canvas, marks] = root.querySelectorAll('canvas');
    for (const one of [canvas, marks]) sized(one, size.w, size.h);
    this.over = marks.getContext('2d');
    const ratio = devicePixelRatio || 1;
    const found = layout(sections, { width, height, least: this.least });
    this.scene = {
      c: canvas.getContext('2d', IN_MEMORY),
      t: tones(),
      data,
      fit,
      resource,
      found,
      order,
      positions,
      view: this.isOf(size) ? this.scene.view : whole(),
      ratio,
      size: { ...size, whole: Math.round((found.height + BELOW) * ratio) },
    };
    this.drawAll();
  }

  sizeNow() {
    const { width, height } = this.root.getBoundingClientRect();
    const ratio = devicePixelRatio || 1;
    return { w: Math.round(width * ratio), h: Math.round(height * ratio) };
  }

  /** Return whether the picture has this size. */
  isOf({ w, h } = this.sizeNow()) {
    return !!this.scene && this.scene.size.w === w && this.scene.size.h === h;
  }

  drawAll() {
    const start = performance.now();
    draw(this.scene, { x: 0, y: 0, ...this.scene.size });
    this.drawMarks();
    const { view, size } = this.scene;
    const isWhole = view.zoom === 1 && view.y === 0;
    for (const button of document.querySelectorAll('[data-map-zoom]')) {
      button.disabled = isWhole && button.dataset.mapZoom !== 'in';
    }
    this.root.classList.toggle('is-movable', view.zoom > 1 || size.whole > size.h);
    performance.measure('cluster-map', { start });
    performance.clearMeasures('cluster-map');
    document.dispatchEvent(new CustomEvent('map:drawn'));
  }

  /** Draw, over a picture that is there, the frames of the selected, the focused and the hovered node, and the selected and hovered tile. */
  drawMarks() {
    if (!this.scene) return; // the pane was never in sight
    const { over, hovered, focused, root, data } = this;
    const { t, ratio, size } = this.scene;
    over.setTransform(1, 0, 0, 1, 0, 0);
    over.clearRect(0, 0, size.w, size.h);
    const halo = t['map-bg'];
    const selected = data.placeOf.get(root.dataset.node) ?? -1;
    this.drawPicked();
    for (const name of this.others) {
      const place = data.placeOf.get(name) ?? -1;
      if (place >= 0 && place !== selected) frame(over, this.boxAt(place), { colour: t['wait-s'], halo, ratio });
    }
    if (hovered.place >= 0) frame(over, this.boxAt(hovered.place), { colour: t['line-3'], halo, ratio });
    if (selected >= 0) frame(over, this.boxAt(selected), { colour: t.cursor, halo, ratio });
    if (focused >= 0 && focused !== selected && document.activeElement === root) {
      frame(over, this.boxAt(focused), { colour: t.t1, halo, ratio });
    }
    over.fillStyle = t.cursor;
    if (hovered.tile >= 0) this.markTile(hovered.place, (tile) => tile === hovered.tile);
    const { pod } = root.dataset;
    if (pod && this.names) this.markTile(selected, (tile) => this.names[tile] === pod);
  }

  /** Have the nodes of these names selected beside the one of the address. */
  pick(names) {
    this.pickedNames = names;
    this.picked = this.pickedPlaces();
    this.drawMarks();
  }

  /** Have the nodes of these names framed as those that other people have open. */
  lookOf(names) {
    this.others = names;
    this.drawMarks();
  }

  pickedPlaces() {
    return this.pickedNames.map((name) => this.data.placeOf.get(name)).filter((place) => place !== undefined);
  }

  /* Several that are selected, as a tint over each, and the frame that is being drawn. */
  drawPicked() {
    const { over, picked, band } = this;
    const { t, ratio, size } = this.scene;
    over.fillStyle = over.strokeStyle = t.cursor;
    over.lineWidth = ratio;
    for (const place of picked) {
      const { x, y, w, h } = this.boxAt(place);
      if (x > size.w || y > size.h || x + w < 0 || y + h < 0) continue;
      over.globalAlpha = 0.35;
      over.fillRect(x, y, w, h);
      over.globalAlpha = 1;
      over.strokeRect(x + ratio / 2, y + ratio / 2, w - ratio, h - ratio);
    }
    if (!band) return;
    over.globalAlpha = 0.15;
    over.fillRect(band.x, band.y, band.w, band.h);
    over.globalAlpha = 1;
    over.strokeRect(band.x, band.y, band.w, band.h);
  }

  /** Return the nodes that a box of device pixels touches. */
  within({ x, y, w, h }) {
    const places = [];
    for (let place = 0; place < this.data.count; place++) {
      const box = this.boxAt(place);
      if (box.x <= x + w && box.x + box.w >= x && box.y <= y + h && box.y + box.h >= y) places.push(place);
    }
    return places;
  }

  markTile(place, isMeant) {
    this.eachTileOf(place, (tile, { x, y, w, h }) => {
      if (isMeant(tile)) this.over.fillRect(x - 1, y - 1, w + 2, h + 2);
    });
  }

  /** Return the box of a node in device pixels. */
  boxAt(place) {
    const position = this.scene.positions[place];
    const block = this.scene.found.blocks.find((one) => position < one.start + one.count);
    return boxOf(this.scene, block, position);
  }

  /** Call with each tile of a node and its box in device pixels; never where tiles are too small to be drawn. */
  eachTileOf(place, call) {
    const room = place >= 0 && tilesIn(this.scene, place, this.boxAt(place));
    if (!room) return;
    const { data, scene } = this;
    const { ratio, resource } = scene;
    const at = this.boxAt(place);
    const first = data.firsts[place];
    const inner = { width: room.width / ratio, height: room.height / ratio };
    const weightAt = (k) => weightOf(data, place, first + k, resource);
    eachTile(data.firsts[place + 1] - first, weightAt, inner, (k, x, y, w, h) =>
      call(first + k, { x: at.x + room.x + x * ratio, y: at.y + room.y + y * ratio, w: w * ratio, h: h * ratio }),
    );
  }

  /** Return a point of the window in device pixels of the picture. */
  pointOf({ clientX, clientY }) {
    const rect = this.root.getBoundingClientRect();
    return { x: (clientX - rect.left) * this.scene.ratio, y: (clientY - rect.top) * this.scene.ratio };
  }

  /** Return {place, tile} below a point of device pixels, -1 each where there is none. */
  at(point) {
    const { view, ratio, found, order } = this.scene;
    const scale = view.zoom * ratio;
    const position = cellAt(found, (point.x - view.x) / scale, (point.y - view.y) / scale);
    if (position < 0) return NOWHERE;
    let tile = -1;
    this.eachTileOf(order[position], (one, { x, y, w, h }) => {
      if (point.x >= x - 1 && point.x <= x + w && point.y >= y && point.y <= y + h) tile = one;
    });
    return { place: order[position], tile };
  }

  /** Hover what is below a point; returns it. */
  hover(point) {
    const found = point ? this.at(point) : NOWHERE;
    if (found.place !== this.hovered.place || found.tile !== this.hovered.tile) {
      this.hovered = found;
      this.drawMarks();
    }
    return found;
  }

  /** Show another part of the map, or it nearer. */
  show(view) {
    this.scene.view = view;
    this.drawAll();
  }

  /** Show the whole map. */
  showAll() {
    this.show(whole());
  }

  /** Zoom by a factor about a point, the middle by default. */
  zoom(factor, point = { x: this.scene.size.w / 2, y: this.scene.size.h / 2 }) {
    this.show(zoomed(this.scene.view, factor, point, this.scene.size));
  }

  /** Bring a node into sight. */
  reveal(place) {
    const view = revealing(this.scene.view, this.boxAt(place), this.scene.size);
    if (view === this.scene.view) this.drawMarks();
    else this.show(view);
  }

  /** Move the picture, and draw only what came into sight. */
  pan(dx, dy) {
    const { view: before, c, size } = this.scene;
    const view = moved(before, dx, dy, size);
    const [x, y] = [view.x - before.x, view.y - before.y];
    if (!x && !y) return;
    this.scene.view = view;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(c.canvas, x, y);
    for (const part of uncovered(x, y, size)) draw(this.scene, part);
    this.drawMarks();
  }
}
