/* Findings at their places: a line under what is wrong, and a click (or Alt Enter on the line) that writes the fix. */

const markers = new WeakMap();

const offersIn = () => [...document.querySelectorAll('[data-finding][data-start]')];

export function mark(editor) {
  const { Range } = window.ace.require('ace/range');
  const { session } = editor;
  for (const id of markers.get(session) ?? []) session.removeMarker(id);
  markers.set(
    session,
    offersIn().map(({ dataset }) => {
      const row = Number(dataset.line) - 1;
      const kind = dataset.severity === 'error' ? 'yaml-wrong' : 'yaml-doubt';
      return session.addMarker(new Range(row, Number(dataset.start), row, Number(dataset.end)), kind, 'text', true);
    }),
  );
}

/* Writes the fix where the text is still what it was judged by; returns whether it was. */
export function write(editor, finding) {
  const { line, start, end, replaced, fix } = finding.dataset;
  const { Range } = window.ace.require('ace/range');
  const range = new Range(Number(line) - 1, Number(start), Number(line) - 1, Number(end));
  if (editor.session.getTextRange(range) !== replaced) return false;
  editor.session.markUndoGroup();
  editor.session.replace(range, fix);
  editor.session.markUndoGroup();
  editor.focus();
  editor.moveCursorTo(range.start.row, range.start.column + fix.length);
  editor.clearSelection();
  return true;
}

export function fixLine(editor) {
  const row = editor.getCursorPosition().row + 1;
  const finding = offersIn().find(({ dataset }) => dataset.fix && Number(dataset.line) === row);
  return finding ? write(editor, finding) : false;
}
