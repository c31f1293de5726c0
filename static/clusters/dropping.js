/* Files and folders that are dropped anywhere on a page of clusters are sent to be read, and their preview is shown.
   On the form of an import they are put into it instead, folders with all that is in them. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { toast } from '../common/toast.js';

const MOST = 2000;
const MANIFEST = /\.(?:ya?ml|jsonl?|csv|txt)(?:\.gz)?$/i;
const SENT = /\.(?:ya?ml|jsonl?|csv|txt|gz|tgz|tar|zip)$/i;

const fileOf = (entry) =>
  new Promise((resolve) => {
    entry.file(resolve, () => resolve(null));
  });

const listed = (reader) =>
  new Promise((resolve) => {
    reader.readEntries(resolve, () => resolve([]));
  });

/** All files below an entry; of folders those that are manifests by their names, but for hidden ones. */
async function filesBelow(entry, isWithin) {
  if (entry.isFile) {
    const isTaken = isWithin ? MANIFEST.test(entry.name) : SENT.test(entry.name);
    return isTaken ? [await fileOf(entry)] : [];
  }
  if (entry.name.startsWith('.')) return [];
  const reader = entry.createReader();
  const files = [];
  // A reader gives a hundred entries at a time, and none at the end.
  for (let some = await listed(reader); some.length && files.length <= MOST; some = await listed(reader)) {
    for (const one of some) files.push(...(await filesBelow(one, true)));
  }
  return files;
}

async function filesOf(transfer) {
  // What is dropped can be asked for in this turn only; where there is no entry, there is still a file.
  const dropped = [...transfer.items]
    .filter((item) => item.kind === 'file')
    .map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const files = [];
  for (const one of dropped) {
    if (one instanceof File) files.push(...(SENT.test(one.name) ? [one] : []));
    else if (one) files.push(...(await filesBelow(one, false)));
  }
  return files.filter(Boolean);
}

async function send(files, { importAt, importInto }) {
  const data = new FormData();
  for (const file of files) data.append('files', file);
  if (importInto) data.append('cluster', importInto);
  const answer = await fetch(importAt, {
    method: 'POST',
    body: data,
    headers: { ...csrfHeaders(), 'HX-Request': 'true' },
  }).catch(() => null);
  const to = answer?.headers.get('HX-Redirect');
  if (to) {
    location.assign(to);
    return;
  }
  const problem = answer?.headers.get('X-Problem');
  toast(problem ? decodeURIComponent(problem) : 'The server cannot be reached. The files were not sent.', {
    meaning: 'error',
  });
}

const holdsFiles = (ev) => ev.dataTransfer?.types.includes('Files');
const place = document.querySelector('[data-import-at]');
const form = document.querySelector('[data-import]');
const sign = document.querySelector('[data-drop-sign]');

if (place || form) {
  let depth = 0;
  const show = (on) => {
    if (sign) sign.hidden = !on;
  };
  document.addEventListener('dragenter', (ev) => {
    if (!holdsFiles(ev)) return;
    depth += 1;
    show(true);
  });
  document.addEventListener('dragleave', (ev) => {
    if (!holdsFiles(ev)) return;
    depth -= 1;
    if (depth <= 0) show(false);
  });
  document.addEventListener('dragover', (ev) => {
    if (holdsFiles(ev)) ev.preventDefault();
  });
  document.addEventListener('drop', async (ev) => {
    if (!holdsFiles(ev)) return;
    ev.preventDefault();
    depth = 0;
    show(false);
    const files = await filesOf(ev.dataTransfer);
    if (!files.length) {
      toast('None of this is a manifest: YAML, JSON, .gz, .zip or .tar.gz', { meaning: 'backoff' });
    } else if (files.length > MOST) {
      toast(`More than ${MOST} files. Drop them in parts, or as an archive.`, { meaning: 'backoff' });
    } else if (form) {
      const transfer = new DataTransfer();
      for (const file of [...form.elements.files.files, ...files]) transfer.items.add(file);
      form.elements.files.files = transfer.files;
      form.elements.files.dispatchEvent(new Event('change', { bubbles: true }));
    } else {
      toast(`Reading ${files.length === 1 ? files[0].name : `${files.length} files`}`, { meaning: 'cursor' });
      send(files, place.dataset);
    }
  });
  document.documentElement.dataset.dropReady = '';
}
