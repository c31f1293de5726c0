/* The pod's requests: number and scale of each say the same, the address holds what is changed, and the engine is asked by the form. */
import { amend } from '../cursor.js';
import { on } from '../../common/on.js';

const ASKED = 'ask.';
const rows = () => [...document.querySelectorAll('[data-request]')];
const field = (row) => row.querySelector('input[type="number"]');
const scale = (row) => row.querySelector('[data-scale]');

/** Return "cpu:0.7,memory:640Mi" of the rows {resource, value, recorded, suffix} whose value is another than the recorded one. */
export function requestsText(values) {
  return values
    .filter(({ value, recorded }) => value !== '' && Number(value) !== Number(recorded))
    .map(({ resource, value, suffix }) => `${resource}:${value}${suffix}`)
    .join();
}

const valuesOf = (row) => ({
  resource: row.dataset.request,
  suffix: row.dataset.suffix,
  value: field(row).value,
  recorded: field(row).dataset.recorded,
});

/** Ask again where requests are tried: the weights are others now. */
export function weightsChanged(text) {
  const form = document.getElementById('requests');
  if (!form) return;
  form.elements.weights.value = text;
  if (requestsText(rows().map(valuesOf))) {
    wait();
    window.htmx.trigger(form, 'again');
  }
}

function wait() {
  document.getElementById('request-trial')?.setAttribute('aria-busy', 'true');
}

function set(row, value) {
  field(row).value = value;
  field(row).dispatchEvent(new Event('input', { bubbles: true }));
}

function onInput(row, ev) {
  if (ev.target === scale(row)) field(row).value = ev.target.value;
  else scale(row).value = ev.target.value;
  wait();
  amend({ requests: requestsText(rows().map(valuesOf)) });
}

/** Leave out of the question what is as it was recorded, and give the others the suffix that makes them quantities. */
function onConfig(ev) {
  if (ev.target.id !== 'requests') return;
  for (const row of rows()) {
    const { resource, value, recorded, suffix } = valuesOf(row);
    const name = `${ASKED}${resource}`;
    if (value === '' || Number(value) === Number(recorded)) delete ev.detail.parameters[name];
    else ev.detail.parameters[name] = `${value}${suffix}`;
  }
}

export function startRequests() {
  on('input', '[data-request]', onInput);
  on('click', '[data-set]', (to) => set(to.closest('[data-request]'), to.dataset.set));
  on('click', '[data-undo-requests]', () => rows().forEach((row) => set(row, field(row).dataset.recorded)));
  document.addEventListener('htmx:configRequest', onConfig);
}
