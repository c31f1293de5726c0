import { costByLetters, costOfHolding, marked, rank, wordsIn } from '../../../static/search/ranking.js';
import { equal } from '../assert.js';

const cases = async () => (await fetch('/tests/static/search/ranking-cases.json')).json();
const itself = (name) => name;

export async function words_cost_what_the_server_says() {
  for (const [sentence, name, typed, cost] of (await cases()).costs) {
    const [found] = rank([name], wordsIn(typed), itself);
    equal([sentence, found?.cost ?? null], [sentence, cost]);
  }
}

export async function names_come_in_the_order_of_the_server() {
  for (const [sentence, names, typed, expected] of (await cases()).orders) {
    const found = rank(names, wordsIn(typed), itself);
    equal([sentence, found.map(({ item }) => item)], [sentence, expected]);
  }
}

export function typed_letters_are_marked() {
  equal(marked('Step over', ['over']), [
    ['Step ', false],
    ['over', true],
  ]);
  equal(marked('Switch theme', ['swth']), [
    ['Sw', true],
    ['i', false],
    ['t', true],
    ['c', false],
    ['h', true],
    [' theme', false],
  ]);
}

export function many_words_are_taken_as_eight() {
  equal(wordsIn('a b c d e f g h i').length, 8);
}

export function a_name_without_all_words_costs_more_than_any_other() {
  equal(costOfHolding('orders', ['or', 'x']) > costByLetters('orders', ['or', 'ds']), true);
}
