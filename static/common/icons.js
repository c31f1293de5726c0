/* Icons for parts that scripts draw; the sprite's address comes from a meta tag, so that hashed static addresses work. */
const SVG = 'http://www.w3.org/2000/svg';

/** Return a new <svg class="i"> that shows the named glyph of icons.svg. */
export function icon(name, className = 'i') {
  const sprite = document.querySelector('meta[name="icons"]')?.content ?? '';
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', className);
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `${sprite}#i-${name}`);
  svg.append(use);
  return svg;
}
