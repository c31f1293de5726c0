import { changedSpan, rowsOf, step } from '../../../static/clusters/table-edits.js';
import { equal } from '../assert.js';

const put = (before, after) => {
  const { start, end, put: text } = changedSpan(before, after);
  return before.slice(0, start) + text + before.slice(end);
};

export function only_what_differs_is_replaced() {
  equal(changedSpan('a\nb\nc\n', 'a\nx\nc\n'), { start: 2, end: 3, put: 'x' });
  equal(changedSpan('aa', 'aaa'), { start: 2, end: 2, put: 'a' });
  equal(changedSpan('same', 'same'), { start: 4, end: 4, put: '' });
}

export function the_span_makes_one_text_the_other() {
  const texts = ['', 'a', 'aa', 'aba', 'abab', 'name: x\n', 'name: x\nname: x\n', 'x\nname: x\n'];
  for (const before of texts) for (const after of texts) equal(put(before, after), after);
}

export function arrows_pass_over_places_without_a_control() {
  const grid = [
    ['a', null, 'b'],
    [null, null, 'c'],
    ['d', null, null],
  ];
  equal(step(grid, 0, 0, 0, 1), 'b');
  equal(step(grid, 0, 0, 1, 0), 'd');
  equal(step(grid, 0, 2, 1, 0), 'c');
  equal(step(grid, 1, 2, 1, 0), null);
  equal(step(grid, 0, 0, -1, 0), null);
}

const field = (column, value, more = {}) => ({ value, dataset: { column, ...more } });
const table = (...rows) => ({
  querySelectorAll: () => rows.map((fields) => ({ querySelectorAll: () => fields })),
});

export function rows_without_a_first_field_are_left_out_and_numbers_are_numbers() {
  const rows = table(
    [field('name', ' cpu '), field('weight', '3', { number: '' })],
    [field('name', ''), field('weight', '5', { number: '' })],
    [field('name', 'gpu'), field('weight', '', { number: '', default: '1' })],
    [field('name', 'x'), field('weight', 'many', { number: '' })],
  );
  equal(rowsOf(rows), [
    { name: 'cpu', weight: 3 },
    { name: 'gpu', weight: 1 },
    { name: 'x', weight: 'many' },
  ]);
}
