import { completed, matching, quoted } from '../../../static/review/mentions.js';
import { equal } from '../assert.js';

const PEOPLE = [
  { handle: 'asha', name: 'Asha' },
  { handle: 'jonas-stein', name: 'Jonas Stein' },
  { handle: 'stefan', name: 'Stefan' },
  { handle: 'a-2', name: '' },
];

export function handles_come_before_names() {
  equal(
    matching(PEOPLE, 'ste').map((one) => one.handle),
    ['stefan', 'jonas-stein'],
  );
  equal(
    matching(PEOPLE, 'A').map((one) => one.handle),
    ['asha', 'a-2'],
  );
  equal(matching(PEOPLE, 'x'), []);
  equal(matching(PEOPLE, '').length, 4);
}

export function what_was_typed_becomes_the_handle() {
  equal(completed('see @as', 7, 'asha'), { text: 'see @asha ', caret: 10 });
  equal(completed('(@jo it', 4, 'jonas-stein'), { text: '(@jonas-stein it', caret: 14 });
  equal(completed('@stxyz!', 3, 'stefan'), { text: '@stefan !', caret: 8 });
}

export function each_line_is_quoted() {
  equal(quoted(' a\nb \n\nc '), '> a\n> b \n>\n> c\n\n');
}
