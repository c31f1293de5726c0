/* What the field under the pointer or at the cursor means: as a tip, and in a line below the text for the keyboard. */
import { pathText, saidOf, sortOf } from './guide.js';
import { placeAt } from './place.js';

/* { title, says, sort } of the field whose key or value stands at a place, null where nothing is known. */
export function meaningAt(lines, row, column) {
  const place = placeAt(lines, row, column);
  if (!place) return null;
  const whole = place.side === 'key' && place.key ? { ...place, path: [...place.path, place.key] } : place;
  const said = saidOf(lines, whole);
  if (!said?.field) return null;
  return { title: pathText(said.kind, said.path), says: said.field.says, sort: sortOf(said.field) };
}

function tipOf(meaning) {
  const tip = document.createElement('div');
  tip.className = 'yaml-tip';
  for (const [name, text] of [
    ['strong', meaning.title],
    ['p', meaning.says],
    ['p', meaning.sort],
  ]) {
    const part = document.createElement(name);
    part.textContent = text;
    tip.append(part);
  }
  tip.lastChild.className = 'muted';
  return tip;
}

/* Shows both for an editor; returns what takes them away. */
export function showMeanings(editor, host) {
  const { HoverTooltip } = window.ace.require('ace/tooltip');
  const { Range } = window.ace.require('ace/range');
  const tooltip = new HoverTooltip();
  tooltip.setDataProvider((ev, from) => {
    const { row, column } = ev.getDocumentPosition();
    const meaning = meaningAt(from.session.doc.getAllLines(), row, column);
    if (!meaning) return;
    const word = from.session.getWordRange(row, column);
    tooltip.showForRange(from, Range.fromPoints(word.start, word.end), tipOf(meaning), ev);
  });
  tooltip.addToEditor(editor);

  const line = document.createElement('p');
  line.className = 'yaml-says';
  line.id = 'yaml-says';
  host.after(line);
  editor.textInput.getElement().setAttribute('aria-describedby', line.id);
  let frame = 0;
  const say = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (!editor.session) return;
      const { row, column } = editor.getCursorPosition();
      const meaning = meaningAt(editor.session.doc.getAllLines(), row, column);
      line.replaceChildren();
      if (!meaning) return;
      const title = document.createElement('code');
      title.textContent = meaning.title.split(/[ .]/).at(-1);
      line.append(title, ` ${meaning.says}`);
      line.title = `${meaning.title}: ${meaning.says} ${meaning.sort}`;
    });
  };
  editor.selection.on('changeCursor', say);
  editor.session.on('change', say);
  say();
  return {
    say,
    remove() {
      tooltip.removeFromEditor(editor);
      tooltip.destroy();
      line.remove();
    },
  };
}
