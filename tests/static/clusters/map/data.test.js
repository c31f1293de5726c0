import {
  amountsOf,
  countsOf,
  dropWords,
  fills,
  fitOf,
  fitWords,
  indexes,
  nodeWords,
  percent,
  taintsOf,
  unpacked,
  weightOf,
} from '../../../../static/clusters/map/data.js';
import { sectionsOf } from '../../../../static/clusters/map/sections.js';
import { equal, near } from '../../assert.js';

const base64 = (...numbers) => btoa(String.fromCharCode(...numbers));
const column = (values, ...index) => ({ values, index: base64(...index), bytes: 1 });
const amounts = (values, words, ...index) => ({ ...column(values, ...index), words });

const DATA = {
  version: 'v',
  nodes: ['n-1', 'n-2', 'n-3'],
  cordoned: [2],
  taints: column(['', 'dedicated=db:NoSchedule'], 0, 1, 0),
  added: [2],
  resources: [{ name: 'cpu' }, { name: 'pods' }, { name: 'nvidia.com/gpu' }],
  allocatable: [amounts([8000], ['8'], 0, 0, 0), amounts([10], ['10'], 0, 0, 0), amounts([0, 2], ['0', '2'], 0, 1, 0)],
  requested: [
    amounts([4000, 0], ['4', '0'], 0, 1, 1),
    amounts([2, 1, 0], ['2', '1', '0'], 0, 1, 2),
    amounts([0, 3], ['0', '3'], 0, 1, 0),
  ],
  orders: { zone: { index: base64(1, 0, 2), bytes: 1 }, none: { index: base64(0, 1, 2), bytes: 1 } },
  groups: { zone: column(['b', 'a', ''], 0, 1, 2) },
  pods: {
    counts: column([2, 1, 0], 0, 1, 2),
    requests: amounts(
      [
        [1000, 1, 0],
        [3000, 1, 0],
        [0, 1, 3],
      ],
      ['', '', ''],
      0,
      1,
      2,
    ),
  },
};

export function indexes_are_read_in_one_two_or_four_bytes() {
  equal([...indexes({ index: base64(1, 2), bytes: 1 })], [1, 2]);
  equal([...indexes({ index: base64(1, 2, 0, 1), bytes: 2 })], [513, 256]);
  equal([...indexes({ index: base64(1, 1, 1, 0), bytes: 4 })], [65793]);
}

export function a_node_is_filled_by_its_scarcest_resource() {
  const data = unpacked(DATA);
  equal([...data.scarcest], [0, 2, 0]);
  equal([...fills(data, -1)], [0.5, 1.5, 0]);
  equal(
    [...fills(data, 1)].map((share) => percent(share)),
    ['20 %', '10 %', '0 %'],
  );
}

export function what_is_requested_and_not_allocatable_is_over() {
  const data = unpacked({
    ...DATA,
    allocatable: [DATA.allocatable[0], DATA.allocatable[1], amounts([0], ['0'], 0, 0, 0)],
  });
  equal(data.most[1] > 1, true);
  equal(amountsOf(data, 1).at(-1), { k: 2, label: 'gpu', words: '3 of 0', share: 'none here', isOver: true });
}

export function tiles_know_what_they_take_of_their_node() {
  const data = unpacked(DATA);
  equal([...data.firsts], [0, 2, 3, 3]);
  near(weightOf(data, 0, 1, 0), 0.375, 1e-9);
  near(weightOf(data, 1, 2, -1), 1.5, 1e-9);
}

export function nodes_are_counted_without_a_map() {
  equal(
    countsOf([
      { node: 'a', fits: true },
      { node: 'b', fits: false },
    ]),
    { fits: 1, total: 2, left: 0 },
  );
}

export function sections_follow_the_order_and_count_what_fits() {
  const data = unpacked(DATA);
  const fit = fitOf(data, [
    { node: 'n-2', fits: true, score: 7 },
    { node: 'n-1', fits: false, reason: 'Insufficient cpu' },
    { node: 'elsewhere', fits: true, score: 1 },
  ]);
  const { order, sections } = sectionsOf(data, 'zone', { resource: 2, fit });
  equal([...order], [1, 0, 2]);
  equal(
    sections.map(({ name, note }) => `${name}: ${note}`),
    [
      'a: 1 node · 1 fit · gpu 150 % · 1 over 100 %',
      'b: 1 node · 0 fit · no gpu',
      'no zone label: 1 node · 0 fit · no gpu',
    ],
  );
  equal([fit.fits, fit.left, fit.total], [2, 1, 3]);
  equal(
    [0, 1, 2].map((place) => fitWords(fit, place)),
    ['Insufficient cpu', 'fits, score 7', ''],
  );
}

export function a_drop_says_what_it_does_and_what_the_engine_says_of_the_node() {
  const data = unpacked(DATA);
  const fit = fitOf(data, [
    { node: 'n-1', fits: true, score: 7 },
    { node: 'n-2', fits: false, reason: 'Insufficient cpu' },
  ]);
  const pod = { pod: 'a/b', of: 1 };
  equal(dropWords(pod, 'n-1', fit, 0), { text: 'a/b to n-1', verdict: 'fits, score 7', state: 1 });
  equal(dropWords(pod, 'n-2', fit, 1), { text: 'a/b to n-2', verdict: 'Insufficient cpu', state: 2 });
  equal(dropWords({ pod: 'a/b', of: 1200 }, 'n-3', fit, 2).text, 'a/b, one of 1,200, to n-3');
  // Without an answer, beside all nodes, and where none was tried, no node looks wrong.
  equal(dropWords(pod, 'n-1', null, 0), { text: 'a/b to n-1', verdict: '', state: 0 });
  equal(dropWords(pod, 'pending', fit, -1), { text: 'a/b to pending', verdict: '', state: 0 });
  equal(dropWords(pod, 'n-1', { ...fit, untried: 'gated' }, 0).verdict, 'gated');
}

export function taints_of_a_node_are_said_of_it() {
  const data = unpacked(DATA);
  equal([taintsOf(data, 0), taintsOf(data, 1)], ['', 'dedicated=db:NoSchedule']);
  equal(nodeWords(data, 1, null).head, 'a, taint dedicated=db:NoSchedule');
}
