import { sortOf } from '../../../../static/clusters/yaml/guide.js';
import { equal } from '../../assert.js';

export function few_values_are_listed() {
  const field = { sort: 'text', choices: ['Equal', 'Exists'], default: 'Equal' };
  equal(sortOf(field), 'text; one of Equal, Exists; Equal where it is left out');
}

export function many_values_are_counted_with_the_first_of_them() {
  const choices = Array.from({ length: 50 }, (_, k) => `shape-${k}`);
  const first = 'shape-0, shape-1, shape-2, shape-3';
  equal(sortOf({ sort: 'text', choices }), `text; one of 50, such as ${first}; Ctrl Space after it lists all`);
}
