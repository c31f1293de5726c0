import { hitMarks, saidOf, together } from '../../../../static/debugger/scrubber/hits.js';
import { equal } from '../../assert.js';

const answers = (list) => {
  const asked = [];
  const real = window.fetch;
  window.fetch = async (url) => {
    asked.push(new URL(url, location.href).searchParams.get('after'));
    const next = list.shift();
    return new Response(JSON.stringify(next.body ?? next), { status: next.status ?? 200, headers: next.headers ?? {} });
  };
  return [asked, () => (window.fetch = real)];
};

async function all(list, limits) {
  const [asked, undo] = answers(list);
  const seen = [];
  try {
    for await (const one of hitMarks('/x', 'tie', undefined, limits)) seen.push(one);
  } finally {
    undo();
  }
  return [seen, asked];
}

export async function marks_of_turns_are_added_up() {
  const [seen, asked] = await all([
    { marks: [[5, 2]], next: '9.1', waiting: false, failure: '' },
    {
      marks: [
        [3, 1],
        [5, 1],
      ],
      next: '',
      waiting: false,
      failure: '',
    },
  ]);
  equal(asked, ['', '9.1']);
  equal(seen.at(-1), {
    marks: [
      { cycle: 3, hits: 1 },
      { cycle: 5, hits: 3 },
    ],
    isOver: true,
    isCut: false,
    failure: '',
  });
}

export async function many_turns_with_few_hits_are_all_read() {
  const turns = Array.from({ length: 150 }, (_, at) => ({
    marks: [[at + 1, 1]],
    next: at < 149 ? `${at}.0` : '',
    waiting: false,
    failure: '',
  }));
  const [seen] = await all(turns);
  equal(saidOf(seen[0]), '1 so far');
  equal(saidOf(seen.at(-1)), '150');
}

export async function more_hits_than_are_marked_are_told_with_the_last_marked_cycle() {
  const turn = (cycle) => ({ marks: [[cycle, 1000]], next: `${cycle}.0`, waiting: false, failure: '' });
  const [seen, asked] = await all([turn(4), turn(7), turn(9)], { most: 2000 });
  equal(asked.length, 2);
  equal([seen.at(-1).isOver, seen.at(-1).isCut, saidOf(seen.at(-1))], [true, true, 'first 2,000, to cycle 7']);
}

export async function waiting_is_no_turn_and_ends_when_nothing_comes() {
  const waits = (count) => Array.from({ length: count }, () => ({ marks: [], next: '', waiting: true, failure: '' }));
  const last = { marks: [[2, 3]], next: '', waiting: false, failure: '' };
  const [seen] = await all([...waits(90), last], { pauseMs: 0 });
  equal(saidOf(seen.at(-1)), '3');
  const [never] = await all(waits(300), { pauseMs: 0 });
  equal([never.length, never.at(-1).isOver, saidOf(never.at(-1))], [201, true, 'no answer']);
}

export async function what_was_marked_before_a_failure_stays() {
  const first = { marks: [[2, 3]], next: '9.0', waiting: false, failure: '' };
  const [seen] = await all([first, { body: {}, status: 500 }]);
  equal([seen.at(-1).marks.length, saidOf(seen.at(-1))], [1, '3, then not read']);
}

export async function a_query_that_is_refused_says_why() {
  const [seen] = await all([{ body: {}, status: 400, headers: { 'X-Problem': 'column%201' } }]);
  equal(seen, [{ marks: [], isOver: true, isCut: false, failure: 'column 1' }]);
}

export function a_cycle_has_the_hits_of_all_queries() {
  const one = [
    { cycle: 3, hits: 1 },
    { cycle: 5, hits: 2 },
  ];
  equal(
    together([
      one,
      [],
      [
        { cycle: 4, hits: 9 },
        { cycle: 5, hits: 1 },
      ],
    ]),
    [
      { cycle: 3, hits: 1 },
      { cycle: 4, hits: 9 },
      { cycle: 5, hits: 3 },
    ],
  );
}
