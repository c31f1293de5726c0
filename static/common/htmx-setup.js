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

/** Wire htmx's events; pages without htmx are not affected. */
export function startHtmx() {
  document.addEventListener('htmx:configRequest', (ev) => {
    if (ev.detail.verb !== 'get') Object.assign(ev.detail.headers, csrfHeaders());
  });
  document.addEventListener('htmx:responseError', (ev) => toast(message(ev.detail.xhr), { meaning: 'error' }));
  document.addEventListener('htmx:sendError', () =>
    toast('No connection to the server. What you see is unchanged.', { meaning: 'error' }),
  );
}
