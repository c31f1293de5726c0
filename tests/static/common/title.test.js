import { changeTitle, noteInTitle } from '../../../static/common/title.js';
import { equal } from '../assert.js';

export function a_note_stands_in_place_of_the_title_which_may_change_meanwhile() {
  const before = document.title;
  try {
    document.title = 'Cycle 1 · Run 7';
    noteInTitle('✓ run 7 finished');
    equal(document.title, '✓ run 7 finished');
    changeTitle((title) => title.replace('1', '2'));
    noteInTitle('✓ answered');
    equal(document.title, '✓ answered');
    noteInTitle('');
    equal(document.title, 'Cycle 2 · Run 7');
    noteInTitle('');
    changeTitle((title) => title.replace('2', '3'));
    equal(document.title, 'Cycle 3 · Run 7');
  } finally {
    document.title = before;
  }
}
