/* Copies what an address answers: as plain text by links with data-copy-note, which without scripts open it, and an SVG as an image by those
   with data-copy-image, which without scripts download it. */
import { toast } from './toast.js';
import { isPlainClick, on } from './on.js';
import { problemIn } from './problem.js';

async function noteAt(url) {
  const response = await fetch(url, { headers: { 'HX-Request': 'true' } });
  if (response.ok) return response.text();
  throw new Error(problemIn(response));
}

/* Closes the menu of a link; the answer is what a word about it stands beside. */
function left(link) {
  const menu = link.closest('details.menu');
  if (menu) menu.open = false;
  return menu?.querySelector('summary') ?? link;
}

async function copyNote(link) {
  const url = link.href;
  const near = left(link);
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

/* Twice as fine as its numbers say, for screens and documents that are. */
const SCALE = 2;

async function pngOf(url) {
  const picture = new Image();
  picture.src = url;
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = SCALE * picture.naturalWidth;
  canvas.height = SCALE * picture.naturalHeight;
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the image is too large'))), 'image/png');
  });
}

function download(url) {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

async function copyImage(link) {
  const url = link.href;
  const near = left(link);
  try {
    // A promise: the browser lets only the click itself begin to write.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngOf(url) })]);
    toast(link.dataset.copied, { near });
  } catch {
    download(url);
    toast('The browser does not let this page copy an image: it is downloaded as SVG.', { meaning: 'backoff', near });
  }
}

/** Wire the links of the page, those of later swaps included. */
export function startCopying() {
  on('click', 'a:is([data-copy-note], [data-copy-image])', (link, ev) => {
    if (!isPlainClick(ev)) return;
    ev.preventDefault();
    if ('copyImage' in link.dataset) copyImage(link);
    else copyNote(link);
  });
}
