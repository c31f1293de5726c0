import { betweenHours, partAddress } from '../../../static/following/address.js';
import { equal } from '../assert.js';

export function the_part_is_asked_for_with_what_the_page_chose_and_has_seen() {
  equal(partAddress('/live/', '?since=7', 'abc', ''), '/live/?since=7&seen=abc');
  equal(partAddress('/live/', '', 'abc', '12-34'), '/live/?seen=abc&order=12-34');
  equal(partAddress('/live/', '?order=1&seen=old', 'new', '2'), '/live/?order=2&seen=new');
}

export function two_hours_take_the_place_of_one_and_the_grouping_stays() {
  equal(betweenHours('?by=owner&since=day', '7', '9'), 'by=owner&since=7&until=9');
}
