/* Copies what an address answers as plain text: links with data-copy-note, which without scripts open it. */
import { toast } from './toast.js';
import { on } from './on.js';
import { problemIn } from './problem.js';

async function noteAt(url) {
  const response = await fetch(url, { headers: { 'HX-Request': 'true' } });
  if (response.ok) return response.text();
  throw new Error(problemIn(response));
}

async function copyNote(link) {
  const url = link.href;
  const menu = link.closest('details.menu');
  const near = menu?.querySelector('summary') ?? link;
  if (menu) menu.open = false;
  try {
    await navigator.clipboard.writeText(await noteAt(url));
    toast(link.dataset.copied, { near });
  } catch (error) {
    // Browsers let only pages with https, or of this machine, write there; the lines can be copied by hand.
    const action = { label: 'Show it', run: () => open(url, '_blank', 'noopener') };
    const words = navigator.clipboard ? `Not copied: ${error.message}` : 'The browser does not let this page copy.';
    toast(words, { meaning: 'backoff', near, action });
  }
}

/** Wire the links of the page, those of later swaps included. */
export function startCopying() {
  on('click', 'a[data-copy-note]', (link, ev) => {
    if (ev.defaultPrevented || ev.ctrlKey || ev.metaKey || ev.shiftKey || ev.altKey) return;
    ev.preventDefault();
    copyNote(link);
  });
}
