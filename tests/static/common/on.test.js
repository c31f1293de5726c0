import { isPlainClick, on } from '../../../static/common/on.js';
import { equal } from '../assert.js';

function heard(html, target) {
  const found = [];
  const place = document.body.appendChild(Object.assign(document.createElement('div'), { innerHTML: html }));
  const gone = new AbortController();
  on('click', '[data-one]', (element, ev) => found.push([element.dataset.one, ev.type]), { signal: gone.signal });
  place.querySelector(target).click();
  gone.abort();
  place.remove();
  return found;
}

export function an_event_inside_of_a_matching_element_is_given_with_it() {
  equal(heard('<a data-one="x"><b>in it</b></a>', 'b'), [['x', 'click']]);
  equal(heard('<a data-one="x"><b data-one="y">in it</b></a>', 'b'), [['y', 'click']]);
}

export function an_event_elsewhere_is_left_out() {
  equal(heard('<a data-one="x"></a><b>beside it</b>', 'b'), []);
}

export function a_click_with_a_key_or_another_button_is_the_browsers() {
  equal(isPlainClick(new MouseEvent('click')), true);
  for (const given of [{ button: 1 }, { ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { altKey: true }]) {
    equal(isPlainClick(new MouseEvent('click', given)), false);
  }
}
