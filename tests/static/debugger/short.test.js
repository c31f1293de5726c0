import { shortOf } from '../../../static/debugger/short.js';
import { equal } from '../assert.js';

const RUN = 'https://example.org/w/team/runs/12/';

export function a_cursor_is_named_by_its_cycle_or_its_seq() {
  equal(shortOf(`${RUN}?cycle=28`), `${RUN}c/28/`);
  equal(shortOf(`${RUN}?seq=401`), `${RUN}s/401/`);
}

export function what_a_link_points_at_is_a_part_each() {
  const call = 'tab=why&step=call&point=Filter&call=NodeName&node=node-3';
  equal(shortOf(`${RUN}?cycle=28&${call}`), `${RUN}c/28/show/why/at/Filter/call/NodeName/on/node-3/`);
  equal(shortOf(`${RUN}?seq=4&pod=team%2Fweb-3&plugin=NodeName`), `${RUN}s/4/of/team:web-3/by/NodeName/`);
}

export function how_the_map_of_the_sender_stands_is_left_out() {
  equal(shortOf(`${RUN}?cycle=28&map=cpu&cluster=table&table_sort=-free&table_page=2`), `${RUN}c/28/`);
}

export function an_address_of_which_something_would_be_lost_stays() {
  for (const more of ['q=zone-a', 'values=raw', 'page=3', 'pod=team%2Fweb-3&uid=u-1', 'hits=x%3Dy', 'sort=-total'])
    equal(shortOf(`${RUN}?cycle=28&${more}`), `${RUN}?cycle=28&${more}`);
}

export function hostile_names_stay_in_the_query_as_they_are_encoded_there() {
  const names = ['..', 'a/b', 'a b', 'a\nb', '\u202ex', '[x](//evil)', '<script>', '?x', '#x', '-x', 'a%2Fb'];
  for (const name of names) {
    const address = `${RUN}?cycle=28&node=${encodeURIComponent(name)}`;
    equal(shortOf(address), address);
  }
}

export function other_pages_and_addresses_without_a_moment_stay() {
  equal(shortOf(`${RUN}events/?seq=4`), `${RUN}events/?seq=4`);
  equal(shortOf(RUN), RUN);
}
