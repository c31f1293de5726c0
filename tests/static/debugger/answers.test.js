import { Answer, Answers, Refusal } from '../../../static/debugger/answers.js';
import { equal, ok } from '../assert.js';

/* A server that counts what it is asked; `answer` makes what it says. */
function server(answer = (url) => Promise.resolve(new Answer(`<p id="${url}"></p>`))) {
  const asked = [];
  const fetchAnswer = (url, target) => {
    asked.push(`${target} ${url}`);
    return answer(url);
  };
  return { asked, fetchAnswer };
}

export async function an_answer_is_asked_for_once_for_each_target() {
  const { asked, fetchAnswer } = server();
  const answers = new Answers({ fetchAnswer });
  const [one, other] = [answers.get('/a', 'main'), answers.get('/a', 'main')];
  ok((await one) === (await other));
  await answers.get('/a', 'inspector');
  equal(asked, ['main /a', 'inspector /a']);
}

export async function the_answers_used_last_are_kept() {
  const { asked, fetchAnswer } = server();
  const answers = new Answers({ fetchAnswer, keeps: 2 });
  for (const url of ['/a', '/b', '/a', '/c', '/a', '/b']) await answers.get(url, 'main');
  equal(asked, ['main /a', 'main /b', 'main /c', 'main /b']);
}

export async function a_refusal_is_told_and_asked_for_again() {
  const { asked, fetchAnswer } = server(() => Promise.reject(new Refusal('no', { isOffline: true })));
  const answers = new Answers({ fetchAnswer });
  for (let i = 0; i < 2; i++) {
    let told = null;
    await answers.get('/a', 'main').catch((error) => {
      told = error;
    });
    ok(told.isOffline);
    ok(!answers.has('/a', 'main'));
  }
  equal([asked.length, answers.inFlight], [2, 0]);
}

export async function answers_that_may_differ_are_forgotten_those_under_way_as_well() {
  const { fetchAnswer } = server();
  const answers = new Answers({ fetchAnswer });
  await answers.get('/final', 'main');
  const underWay = answers.get('/later', 'main');
  answers.drop((answer) => answer.text.includes('later'));
  await underWay;
  equal([answers.has('/final', 'main'), answers.has('/later', 'main')], [true, false]);
  answers.drop();
  ok(!answers.has('/final', 'main'));
}

export function a_painted_answer_can_be_painted_again() {
  const answer = new Answer('<p id="one"></p>');
  const first = answer.take();
  first.firstElementChild.remove();
  equal(answer.take().firstElementChild.id, 'one');
}
