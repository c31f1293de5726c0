/* The description of a synthetic cluster: whatever is typed is sent after a pause, and the answer, which has form, YAML
   and preview in step, takes their place. An answer is dropped where something was typed meanwhile; the next one has it. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { currentTheme } from '../common/theme.js';
import { toast } from '../common/toast.js';
import { THEMES, makeEditor } from './yaml/ace.js';
import { load, readAs } from './yaml/guide.js';
import { showMeanings } from './yaml/saying.js';

const PAUSE = 350;

const form = document.querySelector('[data-gen]');
const stage = document.querySelector('#gen-stage');
const progress = document.querySelector('[data-gen-progress]');
let timer = 0;
let edits = 0;
let isMaking = false;

/** What is sent: fields that say what they had (`data-was`) only where that changed. Their names hold quotes, which a
    multipart body would escape. */
const fieldsWith = (button) => {
  const data = new URLSearchParams(new FormData(form));
  for (const one of stage.querySelectorAll('[data-was]')) if (one.value === one.dataset.was) data.delete(one.name);
  if (button) data.set(button.name, button.value);
  return data;
};

/* ---------- the description as YAML ---------- */

let editor = null;
let isWriting = false;

const areaOf = () => stage.querySelector('[data-gen-text]');

/** The editor on top of the text area, made once: a new stage gets the one that is there, with its cursor and undo. */
function startEditor() {
  if (!window.ace) return;
  const area = areaOf();
  editor = makeEditor(area);
  readAs(area.dataset.guideDocument);
  const meanings = showMeanings(editor, editor.container);
  load(area.dataset.guide).then(() => meanings.say());
  editor.session.on('change', () => {
    if (isWriting) return;
    areaOf().value = editor.getValue();
    areaOf().dispatchEvent(new Event('input', { bubbles: true }));
  });
  const resize = () => editor.resize();
  stage.addEventListener('toggle', resize, true);
  // Opened by the reader, not put back open: what was below the edge is shown, so that lists of fields have a place; of
  // the long list of shapes its beginning.
  stage.addEventListener('click', (ev) => {
    const box = ev.target.closest('summary')?.parentElement;
    const block = { 'gen-yaml': 'end', 'gen-shapes': 'start' }[box?.id];
    if (block) requestAnimationFrame(() => box.open && box.scrollIntoView({ block }));
  });
  document.addEventListener('look', () => editor.setTheme(THEMES[currentTheme()]));
}

/** Put the editor, with the line below it, over the text area of a new stage, whose text the form may have changed. */
function keepEditor(parts) {
  const area = areaOf();
  area.hidden = true;
  area.after(...parts);
  if (editor.getValue() === area.value) return;
  isWriting = true;
  const { row, column } = editor.getCursorPosition();
  editor.setValue(area.value, -1);
  editor.moveCursorTo(row, column);
  editor.clearSelection();
  isWriting = false;
}

const folds = () => [...stage.querySelectorAll('details')];
const foldKey = (one) => one.id || one.dataset.kept;

/** What the reader has open and where they are, put back after the stage was replaced. */
const placeOf = () => {
  const active = document.activeElement;
  const isField = stage.contains(active) && active.name;
  return {
    open: new Map(folds().map((one) => [foldKey(one), one.open])),
    fold: isField ? active.closest('details')?.id : '',
    scrolled: [...stage.querySelectorAll('.scroll')].map((one) => one.scrollTop),
    text: areaOf().scrollTop,
    isInEditor: editor?.isFocused() ?? false,
    name: isField ? active.name : '',
    value: isField && active.tagName === 'BUTTON' ? active.value : null,
    selection: isField && 'selectionStart' in active ? [active.selectionStart, active.selectionEnd] : null,
  };
};

const putBack = (place) => {
  for (const one of folds()) {
    if (place.open.has(foldKey(one)) && !('wrong' in one.dataset)) one.open = place.open.get(foldKey(one));
  }
  for (const [i, one] of [...stage.querySelectorAll('.scroll')].entries()) one.scrollTop = place.scrolled[i] ?? 0;
  areaOf().scrollTop = place.text;
  if (place.isInEditor) editor.focus();
  if (!place.name) return;
  const same = [...stage.querySelectorAll('[name]')].filter((one) => one.name === place.name && !one.hidden);
  let next = same.find((one) => place.value === null || one.value === place.value);
  // What was added is filled in next; where the button itself is gone, its fold is the nearest place.
  if (place.value?.startsWith('add:[')) {
    const rows = next?.closest('[role="group"]').querySelectorAll(':scope > .of-row');
    next = [...(rows ?? [])].at(-1)?.querySelector('[data-was]') ?? next;
  }
  next ??= place.fold ? document.querySelector(`#${place.fold} > summary`) : null;
  next?.focus({ preventScroll: true });
  if (next && place.selection?.[0] != null) next.setSelectionRange(...place.selection);
};

/** Wait while the list of completions is open: a new stage would close it under the reader's hand. */
const noCompletions = () =>
  new Promise((done) => {
    const look = () => (editor?.completer?.activated ? setTimeout(look, PAUSE) : done());
    look();
  });

/** Send the form as it is, with a button of it or without, and show the answer unless something was typed since. */
async function send(button) {
  clearTimeout(timer);
  timer = 0;
  edits += 1;
  const mine = edits;
  stage.dataset.genState = 'asking';
  const answer = await fetch(form.action, {
    method: 'POST',
    body: fieldsWith(button),
    headers: { ...csrfHeaders(), 'HX-Request': 'true' },
  }).catch(() => null);
  if (mine !== edits) return;
  if (!answer?.ok) {
    const problem = answer?.headers.get('X-Problem');
    toast(problem ? decodeURIComponent(problem) : 'The server cannot be reached. What you typed is still here.', {
      meaning: 'error',
    });
    stage.dataset.genState = 'failed';
    return;
  }
  const html = await answer.text();
  await noCompletions();
  if (mine !== edits) return;
  const place = placeOf();
  const parts = editor ? [editor.container, document.getElementById('yaml-says')] : [];
  stage.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes);
  if (editor) keepEditor(parts);
  putBack(place);
  stage.dataset.genState = 'shown';
}

const isEntry = (field) => field.name?.startsWith('pair:');

function typed(ev) {
  if (ev.target.form !== form || !stage.contains(ev.target)) return;
  edits += 1; // an answer that is under way is of an older text
  stage.dataset.genState = 'typed';
  stage.querySelector('.gen-preview')?.classList.add('is-old');
  clearTimeout(timer);
  // Half an entry of a mapping is none: it is sent once its field is left, or by Enter.
  if (!ev.isComposing && !isEntry(ev.target)) timer = setTimeout(send, PAUSE);
}

async function make(button) {
  if (isMaking) return;
  isMaking = true;
  clearTimeout(timer);
  edits += 1;
  button.disabled = true;
  progress.hidden = false;
  progress.textContent = 'Making';
  const answer = await fetch(button.formAction, {
    method: 'POST',
    body: fieldsWith(),
    headers: { ...csrfHeaders(), 'HX-Request': 'true' },
  }).catch(() => null);
  isMaking = false;
  const to = answer?.headers.get('HX-Redirect');
  if (to) {
    location.assign(to);
    return;
  }
  button.disabled = false;
  progress.hidden = true;
  const problem = answer?.headers.get('X-Problem');
  toast(problem ? decodeURIComponent(problem) : 'The server cannot be reached. Nothing was made.', {
    meaning: 'error',
  });
}

if (form) {
  const into = document.querySelector('[data-gen-into]');
  const name = document.querySelector('[data-gen-name]');
  const show = () => {
    name.hidden = into.value !== '';
  };
  into.addEventListener('change', show);
  show();
  form.addEventListener('input', typed);
  form.addEventListener('compositionend', typed);
  form.addEventListener('change', (ev) => isEntry(ev.target) && send());
  document.addEventListener('submit', (ev) => {
    if (ev.target !== form) return;
    ev.preventDefault();
    if (ev.submitter?.matches('[data-gen-make]')) make(ev.submitter);
    else send(ev.submitter);
  });
  startEditor();
  // There is room below the fields; the reader can fold it again.
  if (matchMedia('(min-width: 1600px) and (min-height: 900px)').matches) {
    document.getElementById('gen-shapes').open = true;
  }
  document.documentElement.dataset.genReady = '';
}
