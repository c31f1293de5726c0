/* A picture made pixel by pixel, in device pixels: thousands of rectangles cost less so than as calls of a canvas. */

const known = new Map();

/** Return [red, green, blue, alpha 0..1] of a colour as stylesheets write it. */
function parts(colour) {
  let found = known.get(colour);
  if (!found) {
    const c = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    c.fillStyle = colour;
    c.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = c.getImageData(0, 0, 1, 1).data;
    found = [red, green, blue, alpha / 255];
    known.set(colour, found);
  }
  return found;
}

/** Return the colour laid over another, both [red, green, blue, …], with so much of itself. */
export function over(below, colour, share = 1) {
  const above = parts(colour);
  const weight = above[3] * share;
  return [0, 1, 2].map((k) => below[k] + (above[k] - below[k]) * weight);
}

/** Return a colour as one number, as pixels have it. */
export function packed([red, green, blue]) {
  return ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}

export class Picture {
  constructor(width, height) {
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.width = width;
    this.height = height;
  }

  clear(colour) {
    this.pixels.fill(colour);
  }

  /** Fill a rectangle of whole pixels; what lies outside of the picture is left out. */
  fill(x, y, width, height, colour) {
    const [left, right] = [Math.max(x, 0), Math.min(x + width, this.width)];
    const bottom = Math.min(y + height, this.height);
    if (left >= right) return;
    // Few pixels are set one by one more quickly than by a call for each row of them.
    for (let row = Math.max(y, 0); row < bottom; row++) {
      const end = row * this.width + right;
      for (let at = row * this.width + left; at < end; at++) this.pixels[at] = colour;
    }
  }

  /** Draw a stroke through a box, from below on the left to above on the right. */
  strike(x, y, width, height, colour) {
    const steps = Math.max(width, height);
    for (let k = 0; k < steps; k++) {
      this.fill(x + Math.floor((k * width) / steps), y + height - 1 - Math.floor((k * height) / steps), 1, 1, colour);
    }
  }

  /** Fill the border of a box, inside of it. */
  outline(x, y, width, height, colour, thick = 1) {
    this.fill(x, y, width, thick, colour);
    this.fill(x, y + height - thick, width, thick, colour);
    this.fill(x, y, thick, height, colour);
    this.fill(x + width - thick, y, thick, height, colour);
  }
}
