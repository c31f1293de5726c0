import { threadsAt } from '../../../static/review/talk.js';
import { equal } from '../assert.js';

export function threads_are_counted_at_the_finding_and_at_its_cycles() {
  equal(threadsAt(['pending:1', '4:28', '5:30'], { 'pending:1': 1, '4:28': 2, '4:29': 7 }), 3);
  equal(threadsAt(['pending:1'], {}), 0);
}
