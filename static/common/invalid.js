/* What a browser finds missing in a form, in our own style: words below the field instead of a bubble of the browser's. */
import { icon } from './icons.js';

/** Return the words about a control that is not valid; label: what the control is called. */
export function wordsOf(validity, label, own) {
  if (validity.valueMissing) return `${label || 'This'} is missing.`;
  return own;
}

function labelOf(control) {
  return (control.getAttribute('aria-label') ?? control.labels?.[0]?.textContent ?? '').trim();
}

/* The words are read with the field, after what describes it anyway. */
function describe(control, id, isOn) {
  const ids = (control.getAttribute('aria-describedby') ?? '').split(' ').filter((one) => one && one !== id);
  if (isOn) ids.push(id);
  if (ids.length) control.setAttribute('aria-describedby', ids.join(' '));
  else control.removeAttribute('aria-describedby');
}

function clear(control) {
  const id = control.dataset.invalid;
  if (!id) return;
  document.getElementById(id)?.remove();
  delete control.dataset.invalid;
  control.classList.remove('is-bad');
  control.removeAttribute('aria-invalid');
  describe(control, id, false);
}

function show(control) {
  clear(control);
  const words = document.createElement('p');
  words.className = 'bad';
  words.id = `invalid-${control.id || control.name}-${document.querySelectorAll('[data-invalid]').length}`;
  const text = document.createElement('span');
  text.textContent = wordsOf(control.validity, labelOf(control), control.validationMessage);
  words.append(icon('alert'), text);
  const place = control.closest('.unit, .select-wrap, .search') ?? control;
  place.after(words);
  control.dataset.invalid = words.id;
  control.classList.add('is-bad');
  control.setAttribute('aria-invalid', 'true');
  describe(control, words.id, true);
}

/** Say what is wrong at each control of a form that is sent, and go to the first. */
export function startInvalid() {
  let first = null;
  document.addEventListener(
    'invalid',
    (ev) => {
      ev.preventDefault();
      show(ev.target);
      if (first) return;
      first = ev.target;
      // After the events of all controls of the form: microtasks run between them.
      setTimeout(() => {
        first.focus();
        first = null;
      });
    },
    true,
  );
  document.addEventListener('input', (ev) => clear(ev.target));
}
