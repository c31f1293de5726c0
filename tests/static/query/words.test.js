import { pieces } from '../../../static/query/words.js';
import { equal } from '../assert.js';

const kinds = (text) => pieces(text).filter(([, kind]) => kind);

export function a_query_is_cut_into_words_of_its_language() {
  equal(kinds('cell pod:shop/web-* and priority>=1000 or not tie'), [
    ['cell', 'subject'],
    ['pod', 'field'],
    [':', 'operator'],
    ['shop/web-*', 'value'],
    ['and', 'word'],
    ['priority', 'field'],
    ['>=', 'operator'],
    ['1000', 'value'],
    ['or', 'word'],
    ['not', 'word'],
    ['tie', 'field'],
  ]);
}

export function a_value_holds_signs_that_are_operators_elsewhere() {
  equal(kinds('message~a:b=c')[2], ['a:b=c', 'value']);
}

export function a_name_of_a_subject_is_a_field_before_an_operator() {
  equal(kinds('cycle:7')[0], ['cycle', 'field']);
}

export function nothing_of_the_text_is_lost() {
  for (const text of ['', '  (a:"x y" or b~"', '<b>:>&"', 'é≥ 7', 'a:"\\"" )))'])
    equal(
      pieces(text)
        .map(([piece]) => piece)
        .join(''),
      text,
    );
}
