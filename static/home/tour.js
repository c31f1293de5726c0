/* Keys of the tour's card: G T goes to it; in it Enter goes on, Shift Enter back, Escape leaves. Leaving keeps the page as it is. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { on } from '../common/on.js';

const button = (name) => document.querySelector(`#tour [data-tour="${name}"]`);

async function leave() {
  const { formAction } = button('leave');
  const answer = await fetch(formAction, { method: 'POST', headers: { ...csrfHeaders(), 'HX-Request': 'true' } });
  if (!answer.ok) {
    location.reload();
    return;
  }
  document.getElementById('tour')?.remove();
  document.getElementById('main')?.focus({ preventScroll: true });
}

on('click', '#tour', (card, ev) => {
  if (!ev.target.closest('button')) card.focus();
});
on('click', '#tour [data-tour="leave"]', (_, ev) => {
  ev.preventDefault();
  leave();
});
on(
  'keydown',
  '#tour',
  (_, ev) => {
    if (ev.key === 'Escape') leave();
    else if (ev.key === 'Enter' && !ev.target.closest('button')) button(ev.shiftKey ? 'back' : 'next')?.click();
    else return;
    ev.preventDefault();
    ev.stopPropagation();
  },
  true,
);

document.documentElement.dataset.tour = 'ready';
