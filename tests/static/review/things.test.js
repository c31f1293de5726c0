import { chosenRow, keyOf, thingOfCell } from '../../../static/review/things.js';
import { equal } from '../assert.js';

export function things_of_a_run_have_one_key_each() {
  equal(keyOf({ kind: 'move', seq: 12, pod: 'a/b' }), keyOf({ kind: 'move', seq: '12' }));
  equal(keyOf({ kind: 'victim', cycle: 3, pod: 'a/b', uid: '' }), keyOf({ kind: 'victim', cycle: '3', pod: 'a/b' }));
  equal(
    keyOf({ kind: 'score', cycle: 3, plugin: 'Fit', node: 'n' }) ===
      keyOf({ kind: 'verdict', cycle: 3, plugin: 'Fit', node: 'n' }),
    false,
  );
  equal(keyOf({ cycle: 4 }), 'cycle 4');
}

export function the_row_with_the_focus_is_chosen_before_that_of_the_cursor() {
  const focused = { closest: () => 'focused' };
  equal(chosenRow({ activeElement: focused, querySelector: () => 'cursor' }), 'focused');
  equal(chosenRow({ activeElement: { closest: () => null }, querySelector: () => 'cursor' }), 'cursor');
}

function cell(look, plugin, head = 'fc', hasContent = true) {
  const heads = [{ dataset: {} }, { dataset: { plugin }, matches: (selector) => selector === `.${head}` }];
  return {
    cellIndex: 1,
    parentElement: { dataset: { node: 'node-1' } },
    closest: () => ({ tHead: { rows: [null, { cells: heads }] } }),
    matches: (selector) => selector.split(', ').includes(`.${look}`),
    hasChildNodes: () => hasContent,
  };
}

export function a_cell_of_the_matrix_is_a_verdict_or_a_score_where_something_was_said() {
  equal(thingOfCell(cell('ok', 'Fit')), { kind: 'verdict', plugin: 'Fit', node: 'node-1' });
  equal(thingOfCell(cell('h3', 'Fit', 'sc')), { kind: 'score', plugin: 'Fit', node: 'node-1' });
  equal(thingOfCell(cell('na', 'Fit')), null);
  equal(thingOfCell(cell('ahead', 'Fit')), null);
  equal(thingOfCell(cell('', 'Fit', 'sc', false)), null);
  equal(thingOfCell(cell('ok', undefined)), null);
}
