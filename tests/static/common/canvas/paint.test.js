import { cutName } from '../../../../static/common/canvas/paint.js';
import { equal } from '../../assert.js';

// Every letter is one wide.
const context = { measureText: (text) => ({ width: [...text].length }) };

export function the_end_of_a_name_is_kept_and_of_a_long_one_its_beginning_too() {
  equal(cutName(context, 'node-b-0001', 11), 'node-b-0001');
  equal(cutName(context, 'node-b-0001', 7), '…b-0001');
  equal(cutName(context, 'a-long-name-of-a-node-0001', 16), 'a-lon…-node-0001');
  equal(cutName(context, 'a-long-name-of-a-node-0001', 6), '…-0001');
}

export function of_a_name_with_a_domain_the_beginning_is_kept() {
  equal(cutName(context, 'node-1.example.org', 8), 'node-1.…');
}
