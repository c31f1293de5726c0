import { Changes, upTo } from '../../../../static/debugger/watches/changes.js';
import { equal } from '../../assert.js';

const part = (changes = {}) => ({
  reached: 20,
  cut: false,
  seqs: [0, 4, 5],
  ats: [0, 40, 50],
  which: [0, 1, 0],
  texts: ['5', '7'],
  numbers: [5, 7],
  ...changes,
});

export function numbers_up_to_a_limit_are_counted() {
  equal(
    [-1, 0, 3, 4, 9, 10].map((limit) => upTo([0, 4, 9], limit)),
    [0, 1, 1, 2, 3, 3],
  );
  equal(upTo([], 5), 0);
}

export function a_value_holds_until_the_next_change() {
  const changes = new Changes();
  changes.add(part());
  equal(changes.seqs, [0, 4, 9]);
  equal(changes.ats, [0, 40, 90]);
  equal(
    [0, 3, 4, 8, 9, 20].map((seq) => changes.textAt(seq)),
    ['5', '5', '7', '7', '5', '5'],
  );
}

export function what_is_not_there_yet_is_not_known() {
  const changes = new Changes();
  equal(changes.textAt(0), null);
  changes.add(part());
  equal(changes.textAt(21), null);
}

export function parts_follow_each_other_and_never_lead_back() {
  const changes = new Changes();
  changes.add(part());
  changes.add(part({ reached: 30, seqs: [25], ats: [250], which: [0], texts: ['no such node'], numbers: [null] }));
  equal(changes.textAt(24), '5');
  equal(changes.textAt(30), 'no such node');
  // A worker that began anew says how far it is, without changes.
  changes.add(part({ reached: 3, seqs: [], ats: [], which: [] }));
  equal(changes.reached, 30);
  equal(changes.length, 4);
}
