/* What of the map is in sight: zoom and offset in device pixels, kept so that the map never leaves its pane. Pure. */

export const LARGEST_ZOOM = 40;
export const STEP = 1.5;

/** Return the view of the whole map. */
export const whole = () => ({ zoom: 1, x: 0, y: 0 });

/** Return the view with its offset held inside: the map's edges stay at or beyond those of the pane {w, h}. A map with many heads may be
 * higher than its pane: `whole` is its height. */
export function held({ zoom, x, y }, { w, h, whole: high = h }) {
  const [left, upper] = [w - w * zoom, h - Math.max(h, high) * zoom];
  return { zoom, x: Math.round(Math.min(0, Math.max(left, x))), y: Math.round(Math.min(0, Math.max(upper, y))) };
}

/** Return the view after a zoom by a factor that keeps the point (device pixels) where it is. */
export function zoomed(view, factor, point, size) {
  const zoom = Math.max(1, Math.min(LARGEST_ZOOM, view.zoom * factor));
  const by = zoom / view.zoom;
  return held({ zoom, x: point.x - (point.x - view.x) * by, y: point.y - (point.y - view.y) * by }, size);
}

/** Return the view moved by some device pixels. */
export const moved = (view, dx, dy, size) => held({ zoom: view.zoom, x: view.x + dx, y: view.y + dy }, size);

/** Return the view moved as little as brings a box of device pixels into sight. */
export function revealing(view, { x, y, w, h }, size, edge = 24) {
  const dx = x < edge ? edge - x : x + w > size.w - edge ? size.w - edge - x - w : 0;
  const dy = y < edge ? edge - y : y + h > size.h - edge ? size.h - edge - y - h : 0;
  return dx || dy ? moved(view, dx, dy, size) : view;
}

/** Return the boxes that come into sight where a picture of a size is moved by (dx, dy): at most a column and a row. */
export function uncovered(dx, dy, { w, h }) {
  if (Math.abs(dx) >= w || Math.abs(dy) >= h) return [{ x: 0, y: 0, w, h }];
  const parts = [];
  if (dx) parts.push({ x: dx > 0 ? 0 : w + dx, y: 0, w: Math.abs(dx), h });
  if (dy) parts.push({ x: 0, y: dy > 0 ? 0 : h + dy, w, h: Math.abs(dy) });
  return parts;
}
