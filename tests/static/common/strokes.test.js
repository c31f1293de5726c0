import { isCharacter, keyName, meaning } from '../../../static/common/strokes.js';
import { equal } from '../assert.js';

const NAMES = ['F10', '.', 'o', 'g o', 'g d', 'Shift+N', 'n'];

export function letters_are_small_and_shift_is_said() {
  equal(keyName({ key: 'n' }), 'n');
  equal(keyName({ key: 'N', shiftKey: true }), 'Shift+N');
  equal(keyName({ key: 'N' }), 'n');
  equal(keyName({ key: 'F10', shiftKey: true }), 'Shift+F10');
}

export function signs_that_need_shift_on_some_keyboards_are_themselves() {
  equal(keyName({ key: '?', shiftKey: true }), '?');
  equal(keyName({ key: '{', shiftKey: true }), '{');
}

export function letters_of_another_alphabet_count_by_their_place() {
  equal(keyName({ key: 'т', code: 'KeyN' }), 'n');
  equal(keyName({ key: 'Т', code: 'KeyN', shiftKey: true }), 'Shift+N');
  equal(keyName({ key: 'z', code: 'KeyY' }), 'z');
}

export function control_and_command_are_one() {
  equal(keyName({ key: 'k', ctrlKey: true }), 'Mod+k');
  equal(keyName({ key: 'k', metaKey: true }), 'Mod+k');
  equal(keyName({ key: 'ArrowLeft', altKey: true }), 'Alt+Left');
}

export function space_and_arrows_have_names() {
  equal(
    [' ', 'ArrowUp', 'Home'].map((key) => keyName({ key })),
    ['Space', 'Up', 'Home'],
  );
}

export function only_single_characters_are_switched_off_with_the_letters() {
  equal(['n', 'Shift+N', '.', '?'].map(isCharacter), [true, true, true, true]);
  equal(['F10', 'Shift+F10', 'Mod+k', 'Space', 'Home'].map(isCharacter), [false, false, false, false, false]);
}

export function a_stroke_that_begins_a_sequence_waits_for_more() {
  equal(meaning('', 'g', NAMES), { pending: 'g' });
  equal(meaning('g', 'o', NAMES), { name: 'g o' });
}

export function a_sequence_that_goes_nowhere_is_forgotten_and_its_last_stroke_counts() {
  equal(meaning('g', 'n', NAMES), { name: 'n' });
  equal(meaning('g', 'x', NAMES), {});
  equal(meaning('g', 'g', NAMES), { pending: 'g' });
}

export function a_stroke_without_a_meaning_is_none() {
  equal(meaning('', 'q', NAMES), {});
}
