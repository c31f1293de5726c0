import { addressesOf, concerns, joined } from '../../../static/live/feed.js';
import { equal } from '../assert.js';

export function an_element_is_fetched_for_its_topics_and_for_all() {
  equal(
    [concerns('run:1 reviews', ['reviews']), concerns('run:1', ['run:12']), concerns('run:1', []), concerns('x', null)],
    [true, false, false, true],
  );
}

export function topics_that_wait_are_joined_with_those_that_come() {
  equal([joined(['a'], ['a', 'b']), joined(null, ['a']), joined([], null)], [['a', 'b'], null, null]);
}

export function parts_of_one_address_are_one_request() {
  const part = (id, address) => ({ id, dataset: address === undefined ? {} : { part: address } });
  equal(addressesOf([part('a', '/parts'), part('b', '/parts'), part('c', '/other'), part('d')]), {
    '/parts': 'a',
    '/other': 'c',
    '': 'd',
  });
}
