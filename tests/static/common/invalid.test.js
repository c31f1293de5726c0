import { startInvalid } from '../../../static/common/invalid.js';
import { equal, ok } from '../assert.js';

startInvalid();

export function a_field_is_described_by_what_is_wrong_until_it_is_changed() {
  document.body.innerHTML =
    '<form><label for="name">Name</label><input id="name" required aria-describedby="hint"><p id="hint">short</p></form>';
  const [form, field] = ['form', 'input'].map((name) => document.querySelector(name));
  ok(!form.checkValidity());
  const [hint, words] = field.getAttribute('aria-describedby').split(' ');
  equal(hint, 'hint');
  equal(document.getElementById(words).textContent, 'Name is missing.');
  equal(field.getAttribute('aria-invalid'), 'true');
  field.value = 'prod';
  field.dispatchEvent(new Event('input', { bubbles: true }));
  equal(field.getAttribute('aria-describedby'), 'hint');
  equal(document.getElementById(words), null);
}

export function a_second_look_says_it_once() {
  document.body.innerHTML = '<form><input aria-label="Name" required></form>';
  const form = document.querySelector('form');
  form.checkValidity();
  form.checkValidity();
  equal(document.querySelectorAll('.bad').length, 1);
  equal(form.elements[0].getAttribute('aria-describedby').split(' ').length, 1);
}
