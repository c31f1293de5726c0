/* Copies all that is said of a pod as text, the lines that the command line prints; an answer worker writes them. */
import { toast } from '../common/toast.js';
import { on } from '../common/on.js';

/** Return what an answer's part says: {text} when it is there, {again} where to ask next, else {words}. */
export function readReport(html) {
  const part = new DOMParser().parseFromString(html, 'text/html');
  const text = part.querySelector('[data-report]')?.textContent;
  const again = part.querySelector('[data-again]')?.dataset.again;
  return text === undefined ? { again, words: part.body.textContent.trim() } : { text };
}

async function report(url) {
  for (let next = url; ;) {
    const response = await fetch(next);
    if (!response.ok) throw new Error('The text could not be had.');
    const { text, again, words } = readReport(await response.text());
    if (text !== undefined) return text;
    if (!again) throw new Error(words);
    next = again;
  }
}

async function copy(button) {
  button.disabled = true;
  try {
    await navigator.clipboard.writeText(await report(button.dataset.copyReport));
    toast('Copied as text', { near: button });
  } catch (error) {
    toast(`Not copied: ${error.message}`, { meaning: 'backoff', near: button });
  } finally {
    button.disabled = false;
  }
}

/** Wire the button; it is painted again with each step. */
export function startCopying() {
  on('click', '[data-copy-report]', copy);
}
