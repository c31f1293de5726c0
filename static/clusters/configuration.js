/* The table of a configuration in step with its YAML. The text is the one state: an edit of the table is sent with the
   text as it stands, the server writes it in and answers with the new text and the table of it; typing in the YAML asks
   for the table of what is typed. Undo is the editor's own, for both sides. One edit at a time: each builds on the last. */
import { csrfHeaders } from '../common/htmx-setup.js';
import { toast } from '../common/toast.js';
import { changedSpan, rowsOf, step } from './table-edits.js';
import { problemIn } from '../common/problem.js';

const WAIT_MS = 450;
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const PARTS = ['config-tabs', 'config-table', 'config-side', 'config-differences', 'findings'];

const page = document.querySelector('[data-config-page]');
const canEdit = page.hasAttribute('data-can-edit');
const form = document.getElementById('edit');
const area = form.elements.text;
const editor = () => window.schedscopeEditor;
const text = () => editor()?.getValue() ?? area.value;
const state = document.querySelector('[data-check-state]');
const chosen = new URLSearchParams(location.search);

let asked = null;
let queue = Promise.resolve();
let timer = 0;
let isWriting = false;

/* ---------------------------------------------------------------- asking the server */

async function answerTo(edit, signal) {
  const body = new FormData(form);
  body.set('text', text());
  body.delete('edit');
  if (edit) body.set('edit', JSON.stringify(edit));
  const query = new URLSearchParams();
  for (const name of ['profile', 'plugin', 'point', 'against']) if (chosen.get(name)) query.set(name, chosen.get(name));
  const reply = await fetch(`${page.dataset.table}?${query}`, { method: 'POST', body, headers: csrfHeaders(), signal });
  if (!reply.ok) {
    const problem = new Error(problemIn(reply));
    problem.isAnswer = true;
    throw problem;
  }
  return new DOMParser().parseFromString(await reply.text(), 'text/html').querySelector('[data-config-answer]');
}

/* Puts the parts in place; what had the focus has it again, and nothing scrolls. `sent` is the text that they are about. */
function show(answer, sent) {
  const focus = focusNow();
  page.classList.toggle('is-invalid', answer.dataset.state === 'invalid');
  for (const id of PARTS) {
    const part = answer.querySelector(`#${id}`);
    const old = document.getElementById(id);
    if (!part || !old || part.outerHTML === old.outerHTML) continue;
    const { scrollTop, scrollLeft } = old;
    old.replaceWith(part);
    part.scrollTop = scrollTop;
    part.scrollLeft = scrollLeft;
  }
  enable();
  restore(focus);
  if (state) state.textContent = '';
  window.dispatchEvent(new CustomEvent('checked', { detail: { text: sent } }));
}

/* One question after the other. */
function queued(work) {
  const before = queue;
  queue = (async () => {
    await before;
    await work();
  })();
  return queue;
}

function ask() {
  asked?.abort();
  const mine = (asked = new AbortController());
  return queued(async () => {
    if (mine.signal.aborted) return;
    try {
      const sent = text();
      show(await answerTo(null, mine.signal), sent);
    } catch (problem) {
      if (problem.name !== 'AbortError' && state) state.textContent = 'not checked: the server did not answer';
    }
  });
}

function carryOut(change) {
  asked?.abort();
  clearTimeout(timer);
  return queued(async () => {
    try {
      /* What is typed meanwhile stays: the edit is made again on top of it. */
      let answer;
      let sent;
      do {
        sent = text();
        answer = await answerTo(change);
      } while (text() !== sent);
      write(answer.querySelector('#config-text').value);
      if (answer.dataset.refused) toast(answer.dataset.refused, { meaning: 'error' });
      show(answer, text());
    } catch (problem) {
      toast(problem.isAnswer ? problem.message : 'Not changed: the server could not be reached.', { meaning: 'error' });
    }
  });
}

/* Writes what differs only, as one step that Undo takes back. */
function write(after) {
  const before = text();
  if (before === after) return;
  const { start: first, end, put } = changedSpan(before, after);
  if (!editor()) {
    area.value = after;
    return;
  }
  const { session } = editor();
  const { Range } = window.ace.require('ace/range');
  const lines = session.getDocument();
  const [from, to] = [lines.indexToPosition(first, 0), lines.indexToPosition(end, 0)];
  isWriting = true;
  session.markUndoGroup();
  session.replace(Range.fromPoints(from, to), put);
  session.markUndoGroup();
  isWriting = false;
  editor().gotoLine(from.row + 1, 0, false);
  editor().scrollToLine(from.row, true, false);
}

/* ---------------------------------------------------------------- focus and keys in the table */

function focusNow() {
  const at = document.activeElement;
  const cell = at?.closest('#config-table td');
  if (cell) return { plugin: cell.closest('tr').dataset.plugin, point: cell.dataset.point };
  const item = at?.closest('.cfg-order li');
  if (item) return { item: item.dataset.plugin, label: at.getAttribute('aria-label') };
  const side = at?.closest('#config-side');
  if (side) return { index: [...side.querySelectorAll('input, button, textarea, a')].indexOf(at) };
  const link = at?.closest('[data-config-select]');
  return link ? { link: link.getAttribute('href') } : null;
}

function restore(focus) {
  if (!focus || document.activeElement?.isConnected === false) return;
  let to = null;
  if (focus.point) to = controlAt(focus.plugin, focus.point);
  else if (focus.item) {
    const buttons = [...document.querySelectorAll(`.cfg-order li[data-plugin="${CSS.escape(focus.item)}"] button`)];
    to =
      buttons.find((one) => one.getAttribute('aria-label') === focus.label && !one.disabled) ??
      buttons.find((one) => !one.disabled);
  } else if (focus.index >= 0) {
    to = document.querySelectorAll('#config-side :is(input, button, textarea, a)')[focus.index];
  } else if (focus.link) to = document.querySelector(`[data-config-select][href="${CSS.escape(focus.link)}"]`);
  if (!to || to === document.activeElement) return;
  rove(to);
  to.focus({ preventScroll: true });
}

const controlAt = (plugin, point) =>
  document.querySelector(
    `#config-table tr[data-plugin="${CSS.escape(plugin)}"] td[data-point="${point}"] :is(button, input)`,
  );

/* One control of the table is in the order of Tab: the last one that had the focus. */
function rove(control) {
  if (!control.closest('#config-table td')) return;
  for (const one of document.querySelectorAll('#config-table td [tabindex="0"]')) one.tabIndex = -1;
  control.tabIndex = 0;
}

function neighbour(cell, [down, right]) {
  const rows = [...document.querySelectorAll('#config-table tbody tr')];
  const grid = rows.map((row) => [...row.querySelectorAll('td')].map((one) => one.querySelector('button, input')));
  const row = rows.indexOf(cell.closest('tr'));
  const column = [...cell.parentElement.querySelectorAll('td')].indexOf(cell);
  return step(grid, row, column, down, right);
}

function onTableKey(ev) {
  const cell = ev.target.closest('td');
  if (!cell || ev.ctrlKey || ev.metaKey) return;
  const { plugin } = cell.closest('tr').dataset;
  const move = ARROWS[ev.key];
  if (move && ev.altKey && move[0] && canEdit) {
    ev.preventDefault();
    carryOut({ do: 'move', profile: profileNow(), plugin, point: cell.dataset.point, by: move[0] });
  } else if (move && !ev.altKey) {
    ev.preventDefault();
    const next = neighbour(cell, move);
    if (next) {
      rove(next);
      next.focus();
      next.select?.();
    }
  } else if (ev.target.matches('[data-config-weight]')) onWeightKey(ev, cell, plugin);
}

function onWeightKey(ev, cell, plugin) {
  const field = ev.target;
  if (ev.key === ' ' && canEdit) {
    ev.preventDefault();
    carryOut({ do: 'switch', profile: profileNow(), plugin, point: 'score', on: !field.defaultValue });
  } else if (ev.key === 'Enter') {
    ev.preventDefault();
    weigh(field);
  } else if (ev.key === 'Escape') {
    field.value = field.defaultValue;
    field.select();
  } else if (ev.key.toLowerCase() === 'w' && !ev.ctrlKey && !ev.metaKey) {
    ev.preventDefault();
    document.querySelector('[data-dock-tab="preview"]')?.click();
  }
}

function weigh(field) {
  const value = field.value.trim();
  if (value === field.defaultValue) return;
  const { plugin } = field.closest('tr').dataset;
  const at = { profile: profileNow(), plugin };
  if (value === '' || value === '0') carryOut({ do: 'switch', ...at, point: 'score', on: false });
  else if (/^\d+$/.test(value)) carryOut({ do: 'weigh', ...at, weight: Number(value) });
  else {
    toast('A weight is a whole number, 1 or more.', { meaning: 'error' });
    field.value = field.defaultValue;
  }
}

const profileNow = () => Math.max(Number(chosen.get('profile') ?? 0), 0);

/* ---------------------------------------------------------------- forms */

function enable() {
  for (const fields of document.querySelectorAll('[data-config-fields]')) {
    fields.disabled = fields.hasAttribute('data-read-only');
  }
  for (const field of document.querySelectorAll('[data-config-weight]')) field.readOnly = !canEdit;
  const grid = document.getElementById('config-table');
  if (!grid.querySelector('td [tabindex="0"]')) {
    const first = grid.querySelector('td :is(button, input)');
    if (first) first.tabIndex = 0;
  }
  count('differences', document.querySelectorAll('#config-differences tbody tr').length);
}

function count(name, n) {
  const place = document.querySelector(`[data-dock-tab="${name}"] [data-dock-count]`);
  place.textContent = n;
  place.hidden = !n;
}

function argumentOf(control, value) {
  const { configPlugin: plugin, configProfile: profile } = control.closest('[data-config-fields]').dataset;
  return { do: 'argument', profile: Number(profile), plugin, path: control.dataset.configPath, value };
}

function numberIn(field) {
  const value = field.value.trim();
  if (value !== '' && !/^\d+$/.test(value)) {
    toast('Write a whole number.', { meaning: 'error' });
    field.value = field.defaultValue;
    return undefined;
  }
  return value === '' ? null : Number(value);
}

function onChange(ev) {
  const field = ev.target;
  const { dataset } = field;
  if (dataset.configWeight !== undefined) weigh(field);
  else if (dataset.configNumber) {
    const value = numberIn(field);
    if (value !== undefined) carryOut({ ...JSON.parse(dataset.configNumber), value });
  } else if (dataset.configText) {
    carryOut({ ...JSON.parse(dataset.configText), [dataset.configAs]: field.value.trim() });
  } else if (dataset.configFlag) {
    carryOut({ ...argumentOf(field, field.checked), path: dataset.configFlag });
  } else if (dataset.column) {
    const table = field.closest('[data-config-rows]');
    if (field.closest('tr').querySelector('input').value.trim() || !field.dataset.default) {
      const rows = rowsOf(table);
      if (rows) carryOut({ ...argumentOf(table, rows), path: table.dataset.configRows });
    }
  } else if (dataset.configLines === 'names') {
    const names = field.value.split('\n').map((one) => one.trim());
    carryOut(argumentOf(field, names.filter(Boolean)));
  } else if (dataset.configLines) {
    const { do: _, value: __, ...at } = argumentOf(field, null);
    carryOut({ do: 'argument-text', ...at, text: field.value });
  } else if (dataset.configPath) {
    const value = numberIn(field);
    if (value !== undefined) carryOut(argumentOf(field, value));
  }
}

function onClick(ev) {
  // What is typed then is the weight, as after arrow keys.
  if (ev.target.matches('[data-config-weight]')) ev.target.select();
  const link = ev.target.closest('[data-config-select]');
  if (link && !ev.ctrlKey && !ev.metaKey && !ev.shiftKey) {
    ev.preventDefault();
    select(new URLSearchParams(link.getAttribute('href')));
    return;
  }
  const button = ev.target.closest('button');
  if (!button) return;
  if (button.dataset.configEdit) {
    ev.preventDefault();
    const change = JSON.parse(button.dataset.configEdit);
    const name = button.closest('[data-config-form]')?.querySelector('[data-config-field]');
    if (name) {
      change.name = name.value.trim();
      button.closest('[popover]').hidePopover();
    }
    const cell = button.closest('td');
    if (cell) rove(button);
    carryOut(change);
  } else if (button.dataset.configValue) carryOut(argumentOf(button, button.dataset.configValue));
  else if (button.dataset.configRemove !== undefined) {
    const table = button.closest('[data-config-rows]');
    button.closest('tr').remove();
    carryOut({ ...argumentOf(table, rowsOf(table) ?? []), path: table.dataset.configRows });
  }
}

/* ---------------------------------------------------------------- what the address holds */

function select(query) {
  for (const name of ['plugin', 'point']) if (!query.has('against')) chosen.delete(name);
  for (const [name, value] of query) {
    if (value) chosen.set(name, value);
    else chosen.delete(name);
  }
  remember();
  ask();
}

function remember() {
  const query = chosen.toString();
  history.replaceState(history.state, '', query ? `?${query}` : location.pathname);
}

function view(name) {
  for (const one of ['table', 'both', 'yaml']) page.classList.toggle(`view-${one}`, one === name);
  for (const link of document.querySelectorAll('[data-config-view]')) {
    if (link.dataset.configView === name) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  if (name === 'both') chosen.delete('view');
  else chosen.set('view', name);
  remember();
  editor()?.resize();
}

/* ---------------------------------------------------------------- dock */

function openPart(name) {
  const dock = document.querySelector('[data-dock]');
  dock.dataset.open = name;
  for (const tab of dock.querySelectorAll('[data-dock-tab]')) {
    const isOpen = tab.dataset.dockTab === name;
    tab.setAttribute('aria-selected', String(isOpen));
    document.getElementById(`dock-${tab.dataset.dockTab}`).classList.toggle('is-open', isOpen);
  }
}

function startDock() {
  const tabs = [...document.querySelectorAll('[data-dock-tab]')];
  const since = tabs.find((one) => one.dataset.dockTab === 'since');
  openPart(since?.dataset.dockTab || tabs[0].dataset.dockTab);
  document.querySelector('[data-dock]').addEventListener('click', (ev) => {
    const tab = ev.target.closest('[data-dock-tab]');
    if (tab) openPart(tab.dataset.dockTab);
  });
}

/* ---------------------------------------------------------------- start */

function startUndo() {
  const buttons = [
    [document.querySelector('[data-config-undo]'), 'undo', 'canUndo'],
    [document.querySelector('[data-config-redo]'), 'redo', 'canRedo'],
  ];
  const showAble = () => {
    for (const [button, , can] of buttons) button.disabled = !editor().session.getUndoManager()[can]();
  };
  for (const [button, name] of buttons) {
    button.addEventListener('click', () => {
      editor()[name]();
      showAble();
    });
  }
  editor().on('input', showAble);
}

function start() {
  startDock();
  enable();
  page.addEventListener('click', onClick);
  page.addEventListener('change', (ev) => canEdit && onChange(ev));
  page.addEventListener('focusin', (ev) => ev.target.matches('#config-table td *') && rove(ev.target));
  document.addEventListener('keydown', (ev) => {
    if (ev.target.closest?.('#config-table')) onTableKey(ev);
    else if (ev.key === 'Enter' && ev.target.matches?.('.cfg-side input, .cfg-pop input')) {
      ev.preventDefault();
      if (ev.target.closest('.cfg-pop')) ev.target.closest('.cfg-pop').querySelector('[data-config-edit]').click();
      else ev.target.blur();
    }
  });
  for (const link of document.querySelectorAll('[data-config-view]')) {
    link.addEventListener('click', (ev) => {
      ev.preventDefault();
      view(link.dataset.configView);
    });
  }
  if (!canEdit || !editor()) return;
  startUndo();
  editor().session.on('change', () => {
    if (isWriting) return;
    clearTimeout(timer);
    if (state) state.textContent = 'checking';
    timer = setTimeout(ask, WAIT_MS);
  });
}

start();
