import { partsOf, tailed } from '../../../static/common/names.js';
import { equal } from '../assert.js';

export function the_end_of_a_long_name_is_kept_and_no_letter_is_split() {
  equal(partsOf('web-7d4f9-x2x4k'), ['web-7', 'd4f9-x2x4k', '']);
  equal(partsOf('Ben Okoro'), ['', 'Ben Okoro', '']);
  equal(partsOf('Asha Kulkarni'), ['', 'Asha Kulkarni', '']);
  equal(partsOf(`${'\u{1F600}'.repeat(14)}x`)[1], `${'\u{1F600}'.repeat(9)}x`);
}

export function what_stands_before_a_domain_is_kept_and_a_dot_in_words_is_no_domain() {
  equal(partsOf('ip-10-0-0-17.eu-west-1.internal'), ['', 'ip-10-0-0-17', '.eu-west-1.internal']);
  equal(partsOf('Dr. Mara Lindqvist'), ['Dr. Mara', ' Lindqvist', '']);
}

export function a_name_is_marked_up_whole_where_it_is_short_and_in_parts_where_it_is_long() {
  const markup = (name) => tailed(name).outerHTML;
  equal(markup('node-a'), '<bdi class="cut" title="node-a">node-a</bdi>');
  equal(
    markup('storefront-6c9-x2x4k'),
    '<bdi class="tailed" title="storefront-6c9-x2x4k"><span class="cut">storefront</span><span class="kept">-6c9-x2x4k</span></bdi>',
  );
  equal(tailed('<b>bold and long</b>').textContent, '<b>bold and long</b>');
}
