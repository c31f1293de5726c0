import { isTouched } from '../../../static/review/threads.js';
import { equal } from '../assert.js';

const chooser = (selectedIndex, ...defaults) => ({
  options: defaults.map((defaultSelected) => ({ defaultSelected })),
  selectedIndex,
});

export function a_field_is_touched_where_it_holds_something_else_than_it_came_with() {
  equal(
    [
      isTouched({ type: 'text', value: 'a', defaultValue: 'a' }),
      isTouched({ type: 'textarea', value: 'ab', defaultValue: 'a' }),
      isTouched({ type: 'checkbox', checked: false, defaultChecked: false, value: 'on', defaultValue: '' }),
      isTouched({ type: 'checkbox', checked: false, defaultChecked: true }),
    ],
    [false, true, false, true],
  );
}

export function a_choice_without_a_default_begins_at_its_first_option() {
  equal(
    [chooser(0, false, false), chooser(1, false, false), chooser(1, false, true), chooser(0, false, true)].map(
      isTouched,
    ),
    [false, true, false, true],
  );
}
