/* htmx: the CSRF header on every unsafe request, and a clear word when a request fails. */
import { toast } from './toast.js';

function message(xhr) {
  const named = xhr.getResponseHeader('X-Problem');
  if (named) return decodeURIComponent(named);
  return `The server answered ${xhr.status}. What you see is unchanged.`;
}

/** Return the request headers that an unsafe fetch of our own needs. */
export function csrfHeaders() {
  return { 'X-CSRFToken': document.querySelector('meta[name="csrf-token"]').content };
}

/* The element that the reader used, where a request came from one; none for what a page asks by itself. */
function cause(ev) {
  const { elt, requestConfig } = ev.detail;
  const control = requestConfig?.triggeringEvent?.submitter ?? elt;
  return control.matches?.('button, a, input, select') ? control : null;
}

/* A search field may lie in what its answer replaces: an answer about an older text would take back what was typed since. */
function isTypedOver({ elt, parameters } = {}) {
  if (!elt?.matches?.('input[type="search"][name]')) return false;
  const asked = parameters[elt.name];
  return typeof asked === 'string' && asked !== elt.value;
}

/* A page that waits for something leads on in its own place, so that Back leads to the page before it. */
function leadOn(ev) {
  const to = ev.detail.xhr.getResponseHeader('HX-Redirect');
  if (!to || !ev.detail.requestConfig.elt.getAttribute('hx-trigger')?.startsWith('load')) return;
  ev.preventDefault();
  location.replace(to);
}

/** Wire htmx's events; pages without htmx are not affected. */
export function startHtmx() {
  let offline = null;
  document.addEventListener('htmx:configRequest', (ev) => {
    if (ev.detail.verb !== 'get') Object.assign(ev.detail.headers, csrfHeaders());
  });
  document.addEventListener('htmx:beforeOnLoad', leadOn);
  document.addEventListener('htmx:responseError', (ev) =>
    toast(message(ev.detail.xhr), { meaning: 'error', near: cause(ev) }),
  );
  document.addEventListener('htmx:beforeSwap', (ev) => {
    if (isTypedOver(ev.detail.requestConfig)) ev.detail.shouldSwap = false;
  });
  document.addEventListener('htmx:sendError', () => {
    offline = toast('No connection to the server. What you see is unchanged.', { meaning: 'error' });
  });
  document.addEventListener('htmx:afterOnLoad', () => {
    offline?.remove();
    offline = null;
  });
}
