import { changed, differInInspector, momentOf } from '../../../static/debugger/address.js';
import { equal } from '../assert.js';

const CALL = 'http://x/runs/2/?cycle=7&step=call&point=Score&call=ImageLocality&node=n-1&page=3';

export function another_moment_drops_point_and_call_and_keeps_grain_and_node() {
  equal(changed(CALL, { cycle: 8 }), '/runs/2/?step=call&node=n-1&cycle=8');
  equal(changed(CALL, { seq: 5 }), '/runs/2/?step=call&node=n-1&seq=5');
}

export function the_same_moment_keeps_point_and_call() {
  equal(changed(CALL, { page: null }), '/runs/2/?cycle=7&step=call&point=Score&call=ImageLocality&node=n-1');
}

export function other_pages_of_the_run_open_at_the_same_call() {
  equal(momentOf(CALL), '?cycle=7&point=Score&call=ImageLocality&node=n-1');
}

export function another_call_concerns_every_pane() {
  equal(differInInspector(CALL, CALL.replace('ImageLocality', 'NodeAffinity')), false);
  equal(differInInspector(CALL, CALL.replace('page=3', 'page=4')), true);
}

export function what_a_step_keeps_concerns_every_pane_for_each_has_links_that_hold_it() {
  for (const name of ['values', 'sort', 'order', 'q', 'plugin'])
    equal(differInInspector(CALL, `${CALL}&${name}=x`), false);
}
