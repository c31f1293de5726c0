/* Theme, density and motion: attributes of <html>, remembered in cookies so that the server renders them and nothing flashes. */
import { on } from './on.js';

const root = document.documentElement;
const YEAR = 365 * 24 * 3600;

/** Return "light" or "dark", whatever the reader sees now. */
export function currentTheme() {
  const asked = root.getAttribute('data-theme');
  if (asked === 'light' || asked === 'dark') return asked;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Set one of theme, density, motion for this reader and tell the page (event "look"), e.g. for canvases that draw with token colours. */
export function setLook(name, value) {
  root.setAttribute(`data-${name}`, value);
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `look_${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${YEAR}; SameSite=Lax${secure}`;
  document.dispatchEvent(new CustomEvent('look', { detail: { name, value } }));
}

/** Wire every [data-toggle-theme] button and every form with data-look (fields theme, density, motion). */
export function startTheme() {
  on('click', '[data-toggle-theme]', (_, ev) => {
    ev.preventDefault();
    setLook('theme', currentTheme() === 'dark' ? 'light' : 'dark');
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (root.getAttribute('data-theme') !== 'light' && root.getAttribute('data-theme') !== 'dark') {
      document.dispatchEvent(new CustomEvent('look', { detail: { name: 'theme', value: currentTheme() } }));
    }
  });
}
