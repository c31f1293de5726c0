import { hitMarks } from '../../../../static/debugger/scrubber/hits.js';
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

async function all(list) {
  const [asked, undo] = answers(list);
  const seen = [];
  try {
    for await (const one of hitMarks('/x', 'tie', undefined)) seen.push(one);
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
    failure: '',
  });
}

export async function a_query_that_is_refused_says_why() {
  const [seen] = await all([{ body: {}, status: 400, headers: { 'X-Problem': 'column%201' } }]);
  equal(seen, [{ marks: [], isOver: true, failure: 'column 1' }]);
}
