/* Ace on top of a text area: as a page's editors of YAML have it. */
import { currentTheme } from '../../common/theme.js';
import { completer } from './completion.js';

export const THEMES = { light: 'ace/theme/github_light_default', dark: 'ace/theme/github_dark' };

export function makeEditor(area) {
  const ace = window.ace;
  ace.config.set('basePath', area.dataset.ace.replace(/\/[^/]*$/, ''));
  ace.config.set('loadWorkerFromBlob', false);
  ace.config.set('useStrictCSP', true);
  const host = document.createElement('div');
  host.className = 'ace-host';
  area.after(host);
  area.hidden = true;
  const editor = ace.edit(host, {
    value: area.value,
    mode: 'ace/mode/yaml',
    theme: THEMES[currentTheme()],
    readOnly: area.readOnly,
    fontSize: 12,
    tabSize: 2,
    useSoftTabs: true,
    showPrintMargin: false,
    useWorker: false,
    scrollPastEnd: 0.3,
    enableBasicAutocompletion: area.dataset.guide && !area.readOnly ? [completer] : false,
  });
  editor.textInput.getElement().setAttribute('aria-label', area.getAttribute('aria-label'));
  // Tab moves on, as everywhere; indenting has its own keys (Ctrl ] and Ctrl [).
  editor.commands.bindKey('Tab', null);
  editor.commands.bindKey('Shift-Tab', null);
  editor.commands.bindKey('Ctrl-]', 'indent');
  editor.commands.bindKey('Ctrl-[', 'outdent');
  editor.session.getUndoManager().reset();
  return editor;
}
