/* Names of key strokes and of sequences of them, without a page: "Shift+F10", "Mod+k", "y", "g o". */
const NAMED = { ' ': 'Space', ArrowUp: 'Up', ArrowDown: 'Down', ArrowLeft: 'Left', ArrowRight: 'Right' };

/** Return the name of a key event as data-key writes it: "Shift+F10", "Mod+k", "Shift+N", "y", "?", "Space". */
export function keyName({ key: typed, code = '', ctrlKey = false, metaKey = false, altKey = false, shiftKey = false }) {
  // A keyboard of other letters: the place of the key counts.
  const isForeign = typed.length === 1 && typed > '~' && /^Key[A-Z]$/.test(code);
  const key = isForeign ? code.slice(3).toLowerCase() : typed;
  const isLetter = /^[a-z]$/i.test(key);
  const printable = key.length === 1;
  const name = NAMED[key] ?? (isLetter ? (shiftKey ? key.toUpperCase() : key.toLowerCase()) : key);
  const shift = shiftKey && (!printable || isLetter || key === ' ') ? 'Shift+' : '';
  return `${ctrlKey || metaKey ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${shift}${name}`;
}

/** Return whether the stroke is one character alone, which people who speak to their computer may want off. */
export const isCharacter = (name) => /^(Shift\+)?.$/.test(name);

/** Return what a stroke means after `before` ("" or the strokes of a sequence under way), given the names that there are:
    {name} to be carried out, {pending} to wait for more, or neither. A sequence that goes nowhere is forgotten. */
export function meaning(before, stroke, names) {
  const whole = before ? `${before} ${stroke}` : stroke;
  const has = (wanted) => names.some((name) => name === wanted);
  if (has(whole)) return { name: whole };
  if (names.some((name) => name.startsWith(`${whole} `))) return { pending: whole };
  return before ? meaning('', stroke, names) : {};
}
