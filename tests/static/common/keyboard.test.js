import { equal, ok } from '../assert.js';
import { isForPage, startKeyboard } from '../../../static/common/keyboard.js';

const LETTERS = 'keys-letters';
startKeyboard();

function page(markup) {
  document.body.innerHTML = markup;
  localStorage.removeItem(LETTERS);
}

const pressed = (target, key) => {
  const ev = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
  target.dispatchEvent(ev);
  return ev;
};

export function a_key_reaches_the_page_from_the_field_of_a_dialog_that_was_just_closed() {
  page('<dialog><input></dialog><button data-key="l" data-key-label="Label">Label</button>');
  const [dialog, field, button] = ['dialog', 'input', 'button'].map((name) => document.querySelector(name));
  let presses = 0;
  button.addEventListener('click', () => (presses += 1));
  dialog.showModal();
  ok(!isForPage(pressed(field, 'l')), 'while the dialog is open');
  equal(presses, 0);
  dialog.close();
  ok(isForPage(pressed(field, 'l')), 'once it is closed');
  equal(presses, 1);
}

export function a_field_keeps_its_letters_and_a_modifier_is_no_key_of_the_page() {
  page('<input><p tabindex="0"></p>');
  ok(!isForPage(pressed(document.querySelector('input'), 'n')));
  const place = document.querySelector('p');
  ok(isForPage(pressed(place, 'n')));
  ok(!isForPage(new KeyboardEvent('keydown', { key: 'n', ctrlKey: true })));
}

export function letters_that_are_switched_off_are_no_keys_of_any_part_of_the_page() {
  page('<p tabindex="0"></p>');
  localStorage.setItem(LETTERS, 'off');
  ok(!isForPage(pressed(document.querySelector('p'), 'n')));
  ok(isForPage(pressed(document.querySelector('p'), 'Escape')));
  localStorage.removeItem(LETTERS);
}
