/* Few nodes: a card each, with bars, its pods as tiles (width = cpu) and one line of words. */
import { box, cut, cutName, star } from './paint.js';

const PAD = 12;
const HEAD = 22;
const GAP = 6;
const LOOKS = { 0: 'none', 1: 'bound', 2: 'unsched', 3: 'unres', 4: 'none', 5: 'victim', 6: 'nomin' };

/** Draw all cards; returns their boxes. */
export function drawCards(scene) {
  const { w, h, data } = scene;
  const count = data.zones.reduce((sum, zone) => sum + zone.end - zone.start, 0);
  const { cols, height } = size(w, h, data.zones, count);
  const width = (w - 2 * PAD - (cols - 1) * GAP) / cols;
  const boxes = [];
  let y = 4;
  for (const zone of data.zones) {
    head(scene, zone, y);
    y += HEAD;
    for (let i = zone.start; i < zone.end; i++) {
      const k = i - zone.start;
      const place = {
        i,
        x: PAD + (k % cols) * (width + GAP),
        y: y + Math.floor(k / cols) * (height + GAP),
        w: width,
        h: height,
      };
      boxes[i] = place;
      card(scene, place);
    }
    y += Math.ceil((zone.end - zone.start) / cols) * (height + GAP) + 2;
  }
  return boxes;
}

function size(w, h, zones) {
  // The most columns that keep names readable, more where the cards would not fit below each other.
  for (let cols = Math.max(2, Math.floor((w - 2 * PAD + GAP) / 104)); ; cols++) {
    const rows = zones.reduce((sum, zone) => sum + Math.ceil((zone.end - zone.start) / cols), 0);
    const height = (h - 8 - zones.length * (HEAD + 2) - rows * GAP) / rows;
    if (height >= 44 || cols >= 12) return { cols, height: Math.min(96, Math.max(height, 20)) };
  }
}

function head({ c, t, w }, zone, y) {
  c.textBaseline = 'middle';
  c.textAlign = 'left';
  c.font = `600 11px ${t.font}`;
  c.fillStyle = t.t1;
  const name = cut(c, zone.name, w / 2);
  c.fillText(name, PAD, y + HEAD / 2);
  const x = PAD + c.measureText(name).width + 8;
  c.font = `400 11px ${t.font}`;
  c.fillStyle = t.t3;
  c.fillText(cut(c, zone.note, w - x - PAD), x, y + HEAD / 2);
}

function card(scene, at) {
  const { c, t, data, names, selected } = scene;
  const { x, y, w, h, i } = at;
  const verdict = data.verdict[i];
  const look = LOOKS[verdict];
  const isWinner = data.marks.winner === i;
  const isNominated = verdict === 6 || data.marks.nominated.includes(i);
  c.fillStyle = verdict === 6 ? t['nomin-b'] : isWinner ? t['win-b'] : t.s2;
  box(c, x, y, w, h, 4);
  c.fill();
  c.lineWidth = isWinner || isNominated || selected === i ? 2 : 1;
  c.strokeStyle =
    selected === i
      ? t.t1
      : isWinner
        ? t.cursor
        : isNominated
          ? t['nomin-s']
          : data.marks.second === i
            ? t['second-s']
            : t['line-2'];
  c.setLineDash(isNominated && !isWinner ? [4, 2] : []);
  box(c, x + 0.5, y + 0.5, w - 1, h - 1, 4);
  c.stroke();
  c.setLineDash([]);
  c.font = `600 10.5px ${t.font}`;
  c.fillStyle = verdict === 3 || verdict === 4 ? t.t3 : t.t1;
  c.textBaseline = 'middle';
  c.textAlign = 'left';
  c.fillText(cutName(c, names[i], w - 26), x + 6, y + 10);
  glyph(scene, at, verdict, look);
  const below = bars(scene, at, y + 20);
  tiles(scene, at, below, look, verdict);
}

function glyph({ c, t, data }, { x, y, w, i }, verdict, look) {
  const gx = x + w - 11;
  const gy = y + 10;
  if (data.marks.winner === i) {
    c.fillStyle = t['win-s'];
    star(c, gx, gy, 5);
    return;
  }
  if (data.marks.second === i) {
    c.fillStyle = t['second-f'];
    c.textAlign = 'center';
    c.fillText('2', gx, gy);
    c.textAlign = 'left';
    return;
  }
  c.strokeStyle = t[`${look}-f`];
  c.lineWidth = 1.5;
  c.beginPath();
  if (data.marks.ties.includes(i)) {
    c.strokeStyle = t['tie-f'];
    lines(
      c,
      [
        [-4, -2, 4, -2],
        [-4, 2, 4, 2],
      ],
      gx,
      gy,
    );
  } else if (verdict === 1)
    lines(
      c,
      [
        [-4, 0, -1, 3],
        [-1, 3, 4, -4],
      ],
      gx,
      gy,
    );
  else if (verdict === 2)
    lines(
      c,
      [
        [-3, -3, 3, 3],
        [3, -3, -3, 3],
      ],
      gx,
      gy,
    );
  else if (verdict === 3) {
    c.arc(gx, gy, 4, 0, 7);
    lines(c, [[-2.8, 2.8, 2.8, -2.8]], gx, gy);
  } else if (verdict === 5)
    lines(
      c,
      [
        [0, -4, 4, 1],
        [4, 1, -4, 1],
        [-4, 1, 0, -4],
        [-4, 4, 4, 4],
      ],
      gx,
      gy,
    );
  else if (verdict === 6)
    lines(
      c,
      [
        [0, -4.5, 4.5, 0],
        [4.5, 0, 0, 4.5],
        [0, 4.5, -4.5, 0],
        [-4.5, 0, 0, -4.5],
      ],
      gx,
      gy,
    );
  c.stroke();
}

function lines(c, parts, x, y) {
  for (const [x1, y1, x2, y2] of parts) {
    c.moveTo(x + x1, y + y1);
    c.lineTo(x + x2, y + y2);
  }
}

function bars({ c, t, data, mode }, { x, w, h, i }, top) {
  const labels = w > 128 && h > 60;
  let y = top;
  for (const [name, share] of [
    ['cpu', data.cpu[i]],
    ['mem', data.memory[i]],
  ]) {
    const left = x + 6 + (labels ? 26 : 0);
    const width = w - 12 - (labels ? 58 : 0);
    if (labels) {
      c.font = `400 10px ${t.font}`;
      c.fillStyle = t.t3;
      c.fillText(name, x + 6, y + 3);
      c.textAlign = 'right';
      c.fillText(`${share} %`, x + w - 6, y + 3);
      c.textAlign = 'left';
    }
    c.fillStyle = t['map-track'];
    c.fillRect(left, y, width, labels ? 5 : 4);
    const picked = (mode === 'cpu' && name === 'cpu') || (mode === 'memory' && name === 'mem');
    c.fillStyle = picked ? t.heat : t['map-fill'];
    c.fillRect(left, y, (width * Math.min(share, 100)) / 100, labels ? 5 : 4);
    if (share > 92) {
      c.fillStyle = t['unsched-s'];
      c.fillRect(left + width * 0.92, y, (width * (Math.min(share, 100) - 92)) / 100, labels ? 5 : 4);
    }
    y += labels ? 13 : 6;
  }
  return y;
}

function tiles({ c, t, data }, { x, y, w, h, i }, top, look, verdict) {
  const { t: words, pods } = data.cards[i];
  const hasWords = h > 52;
  const bottom = y + h - (hasWords ? 17 : 4);
  const high = Math.max(6, Math.min(20, (bottom - top - 3) / 2 - 1.5));
  let px = x + 6;
  let py = top + 3;
  for (const [share, flag] of pods) {
    const width = Math.max(3, Math.min(((w - 12) * share) / 100 - 1.5, w - 12));
    if (px + width > x + w - 5.5) {
      px = x + 6;
      py += high + 1.5;
    }
    if (py + high > bottom + 0.5) break;
    tile(c, t, px, py, width, high, flag);
    px += width + 1.5;
  }
  if (!hasWords) return;
  c.font = `400 10px ${t.font}`;
  c.fillStyle = verdict === 1 || verdict === 3 || look === 'none' ? t.t3 : t[`${look}-f`];
  c.fillText(cut(c, words, w - 12), x + 6, y + h - 9);
}

function tile(c, t, x, y, w, h, flag) {
  if (flag === 'r') {
    c.strokeStyle = t['victim-s'];
    c.lineWidth = 1;
    c.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    return;
  }
  c.fillStyle = flag === 'v' || flag === 't' ? t['victim-s'] : flag === 'm' ? t.accent : t['map-fill'];
  c.globalAlpha = flag === 't' ? 0.55 : 1;
  c.fillRect(x, y, w, h);
  c.globalAlpha = 1;
  if (flag !== 'v') return;
  c.strokeStyle = t.s1;
  c.lineWidth = 1.2;
  c.beginPath();
  c.moveTo(x + 1, y + h / 2);
  c.lineTo(x + w - 1, y + h / 2);
  c.stroke();
}
