/* A cell for each node beside an editor: green where the pod fits, crossed out elsewhere. The table below is its text. */
import { cellAt, cellBox } from '../common/canvas/grid.js';
import { cellsIn } from './lit.js';

const HEIGHT = 150;
const number = new Intl.NumberFormat('en');

/** Draw the nodes on the canvas, in order of name, and name the one below the pointer. */
export function drawCells(canvas, nodes) {
  const ordered = nodes.toSorted((a, b) => a.node.localeCompare(b.node, 'en', { numeric: true }));
  canvas.hidden = false;
  const width = canvas.clientWidth || canvas.parentElement.clientWidth;
  const found = cellsIn(ordered.length, width, HEIGHT);
  const height = Math.ceil(ordered.length / found.blocks[0].columns) * found.cell.h;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.setProperty('height', `${height}px`);
  const c = canvas.getContext('2d');
  c.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const tone = (name) => style.getPropertyValue(`--${name}`).trim();
  paint(c, ordered, found, { fits: tone('bound-s'), track: tone('map-track'), slash: tone('line-3') });
  const count = ordered.filter((one) => one.fits).length;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute(
    'aria-label',
    `${number.format(count)} of ${number.format(ordered.length)} nodes fit; the table names each`,
  );
  canvas.onpointermove = (ev) => {
    const one = ordered[cellAt(found, ev.offsetX, ev.offsetY)];
    canvas.title = one ? `${one.node}: ${one.fits ? words(one.score) : one.reason}` : '';
  };
}

function words(score) {
  return score === null ? 'fits' : `fits, ${number.format(score)} points`;
}

function paint(c, nodes, found, tones) {
  const size = found.cell.w > 5 ? found.cell.w - 2 : found.cell.w - 1;
  c.lineWidth = 1;
  for (const [i, one] of nodes.entries()) {
    const { x, y } = cellBox(found, i);
    c.fillStyle = one.fits ? tones.fits : tones.track;
    c.fillRect(x, y, size, size);
    if (one.fits || size < 5) continue;
    c.strokeStyle = tones.slash;
    c.beginPath();
    c.moveTo(x + 1.5, y + size - 1.5);
    c.lineTo(x + size - 1.5, y + 1.5);
    c.stroke();
  }
}
