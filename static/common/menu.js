/* <details class="menu">: Escape and a click elsewhere close it, arrows walk through it. */
import { on } from './on.js';

function items(menu) {
  return [...menu.querySelectorAll('.menu-item')].filter((item) => item.offsetParent !== null);
}

function walk(menu, step) {
  const all = items(menu);
  if (!all.length) return;
  const at = all.indexOf(document.activeElement);
  all[(at + step + all.length) % all.length].focus();
}

/** Wire all menus of the page, those of later swaps included. */
export function startMenus() {
  document.addEventListener('click', (ev) => {
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      if (!menu.contains(ev.target)) menu.open = false;
    }
  });
  on('keydown', 'details.menu[open]', (menu, ev) => {
    if (ev.key === 'Escape') {
      menu.open = false;
      menu.querySelector('summary').focus();
      ev.stopPropagation();
    } else if (ev.key === 'ArrowDown') {
      walk(menu, 1);
      ev.preventDefault();
    } else if (ev.key === 'ArrowUp') {
      walk(menu, -1);
      ev.preventDefault();
    }
  });
}
