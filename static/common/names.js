/* Names in narrow places: the end tells a name apart, so it is cut last. Figures and markup are those of dashboard/common/pages/names.py. */

/** How many letters the end has. */
export const TAIL = 10;
/* Shorter names fit; a head of fewer letters would be cut to nothing but dots. */
const WHOLE = 12;
const SHORTEST_HEAD = 4;

/** Return [head, end, domain] of a name; the end is cut last. Head and domain are "" where there is none. */
export function partsOf(name) {
  const letters = [...name];
  if (letters.length <= WHOLE) return ['', name, ''];
  const dot = name.includes(' ') ? -1 : letters.indexOf('.');
  const last = dot < 0 ? letters.length : dot;
  const first = last - TAIL < SHORTEST_HEAD ? 0 : last - TAIL;
  return [letters.slice(0, first), letters.slice(first, last), letters.slice(last)].map((part) => part.join(''));
}

/** Return a name of which the end is cut last, as the server's filter `tailed` marks names. */
export function tailed(name) {
  const box = document.createElement('bdi');
  const parts = partsOf(name);
  box.className = parts[1] === name ? 'cut' : 'tailed';
  box.title = name;
  if (parts[1] === name) box.textContent = name;
  else box.append(...parts.map(partOf).filter(Boolean));
  return box;
}

function partOf(text, place) {
  if (!text) return null;
  const part = document.createElement('span');
  part.className = place === 1 ? 'kept' : 'cut';
  part.textContent = text.replace(/ $/, '\u00a0'); // a space would be dropped at the end of a box
  return part;
}
