import { isSame, namesOf, objectAt, placeOf, placeWords, pointing, taken } from '../../../static/live/people.js';
import { equal } from '../assert.js';

const HERE = 'https://host/w/team/';

export function runs_comparisons_and_reviews_are_places_and_nothing_else_is() {
  const placed = (path) => placeOf(HERE + path, '/w/team/');
  equal(placed('runs/7/why/?cycle=3'), { path: 'runs/7/why/', query: 'cycle=3' });
  equal(placed('compare/?a=1&b=2'), { path: 'compare/', query: 'a=1&b=2' });
  equal(placed('reviews/4/'), { path: 'reviews/4/', query: '' });
  equal(placed('clusters/prod/nodes/?draft=4&q=x').query, 'draft=4');
  for (const path of [
    '',
    'runs/',
    'clusters/prod/',
    'clusters/prod/?draft=0',
    'runs/7',
    'runs/7//evil/',
    'runs/0/',
    'runs/7/../x/',
  ])
    equal(placed(path), null);
  equal(placeOf('https://host/w/other/runs/7/', '/w/team/'), null);
}

export function of_a_draft_others_are_told_the_open_object_alone() {
  const place = placeOf(`${HERE}clusters/prod/drafts/4/edit/?q=gpu&node=node-a&sel=Node%2F%2Fb`, '/w/team/');
  equal(place, { path: 'clusters/prod/drafts/4/edit/', query: 'node=node-a' });
  const open = (query) => objectAt({ path: place.path, query });
  equal(
    [open('node=a'), open('pod=shop/web'), open('kind=PodDisruptionBudget&ns=shop&name=db'), open('new=Job'), open('')],
    ['Node a', 'Pod shop/web', 'PodDisruptionBudget shop/db', 'a new Job', ''],
  );
  equal(objectAt({ path: 'runs/7/', query: 'node=a' }), '');
}

export function a_query_is_written_so_that_nothing_in_it_ends_an_address() {
  equal(placeOf(`${HERE}runs/7/?q=<b> "x"&n='`, '/w/team/').query, 'q=%3Cb%3E+%22x%22&n=%27');
}

export function places_are_the_same_whatever_the_order_of_their_query() {
  const place = (query, path = 'runs/7/') => ({ path, query });
  equal(isSame(place('a=1&b=2'), place('b=2&a=1')), true);
  equal(isSame(place('a=1'), place('a=2')), false);
  equal(isSame(place('a=1'), place('a=1', 'runs/8/')), false);
  equal(isSame(place('a=1'), null), false);
}

export function places_read_as_a_few_words() {
  const read = (path, query = '') => placeWords({ path, query });
  equal(
    [read('runs/7/', 'cycle=28'), read('runs/7/events/', 'seq=9'), read('runs/7/review/'), read('compare/', 'a=1&b=2')],
    ['Debugger, cycle 28', 'Events, event 9', 'Review', 'Comparison'],
  );
  equal(read('runs/7/', 'cycle=<b>'), 'Debugger');
  equal(
    [
      read('clusters/prod/drafts/4/edit/', 'node=a'),
      read('clusters/prod/drafts/4/edit/'),
      read('clusters/prod/drafts/4/'),
      read('clusters/prod/nodes/', 'draft=4'),
    ],
    ['Node a', 'Editor', 'Changes', 'Nodes'],
  );
}

export function people_are_kept_by_what_came_last_and_named_anew_when_all_are_told() {
  const [asha, ben] = [
    { id: 1, name: 'Asha' },
    { id: 2, name: 'Ben' },
  ];
  const both = taken(new Map(), { here: [asha, ben], left: [], all: true });
  equal([...both.keys()], [1, 2]);
  equal([...taken(both, { here: [], left: [{ id: 1 }], all: false }).keys()], [2]);
  equal([...taken(both, { here: [asha], left: [], all: true }).keys()], [1]);
}

export function pointing_is_shown_once_and_not_to_whoever_comes_later() {
  const person = (n) => ({ id: 1, spot: n ? { node: 'a', n } : null });
  const before = new Map([[1, person(1)]]);
  const shown = (n, all = false) => pointing(before, { here: [person(n)], all }).length;
  equal([shown(1), shown(2), shown(2, true), shown(0)], [0, 1, 0, 0]);
}

export function many_names_are_counted() {
  const people = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => ({ name }));
  equal(
    [namesOf(people.slice(0, 1)), namesOf(people.slice(0, 3)), namesOf(people)],
    ['A', 'A, B and C', 'A, B, C, D and 2 more'],
  );
}
