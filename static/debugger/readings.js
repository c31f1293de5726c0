/* Lights another reading of the cause: what its obstacles are in the table, and what is left of each group without them.

   A second press lights the cause again. Every letter of the table is on the page, so nothing is asked for. */
import { on } from '../common/on.js';

/** Return how many of a group's obstacles are left without those of `lit`; `unnamed` have no letter. */
export const leftOf = (letters, unnamed, lit) => unnamed + letters.filter((letter) => !lit.includes(letter)).length;

function light(table, lit) {
  for (const one of table.querySelectorAll('[data-letter]'))
    if (!one.closest('.an-opened')) one.classList.toggle('is-lit', lit.includes(one.dataset.letter));
  for (const row of table.querySelectorAll('.an-row')) {
    const still = row.querySelector('.an-still');
    if (!still) continue;
    const letters = [...still.querySelectorAll('[data-letter]')].map((one) => one.dataset.letter);
    const left = leftOf(letters, Number(still.dataset.unnamed), lit);
    still.firstElementChild.textContent = String(left);
    row.classList.toggle('is-open', left === 0);
  }
}

function press(button) {
  const table = document.querySelector('#obstacles .an-mx');
  if (!table) return;
  table.dataset.cause ??= [...table.querySelectorAll('thead .an-o.is-lit')].map((one) => one.dataset.letter).join('');
  const isOn = button.getAttribute('aria-pressed') !== 'true';
  for (const one of document.querySelectorAll('[data-lights]'))
    one.setAttribute('aria-pressed', String(one === button && isOn));
  light(table, isOn ? button.dataset.lights : table.dataset.cause);
}

/** Have the letters of readings light them from now on, also where they come later. */
export const startReadings = () => on('click', '[data-lights]', press);
