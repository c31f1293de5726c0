import { arrowed, thingOf } from '../../../static/debugger/cells.js';
import { equal } from '../assert.js';

const MATRIX = `<div data-matrix><table>
  <thead><tr><th></th><th>Filter</th><th>Score</th></tr>
    <tr><th></th><th class="fc" data-plugin="Fit"></th><th class="sc" data-plugin="Fit"></th>
      <th class="sc ahead" data-plugin="Later"></th><th class="tot"></th></tr></thead>
  <tbody>
    <tr data-node="node-1"><th><a href="#">node-1</a></th><td id="v"></td><td id="s"></td><td id="l"></td><td></td></tr>
    <tr data-node="node-2"><th><a href="#">2</a></th><td id="w"></td><td id="r" colspan="3">no room</td></tr>
  </tbody></table></div>`;

function withMatrix(check) {
  document.body.innerHTML = MATRIX;
  check((id) => document.getElementById(id));
  document.body.replaceChildren();
}

export function a_cell_is_the_verdict_or_the_score_of_its_columns_plugin() {
  withMatrix((cell) => {
    equal(thingOf(cell('v')), { kind: 'verdict', plugin: 'Fit', node: 'node-1' });
    equal(thingOf(cell('s')), { kind: 'score', plugin: 'Fit', node: 'node-1' });
    equal(thingOf(cell('l')), null);
    equal(thingOf(cell('s').closest('tr').cells[0]), null);
    equal(thingOf(cell('s').closest('tr').cells[4]), null);
  });
}

export function the_reason_over_several_columns_is_of_no_plugin() {
  withMatrix((cell) => {
    equal(thingOf(cell('r')), null);
    equal(thingOf(cell('w')).node, 'node-2');
  });
}

export function arrows_move_the_focus_to_the_next_cell() {
  withMatrix((cell) => {
    cell('v').tabIndex = -1;
    cell('v').focus();
    const press = (key) => arrowed({ target: document.activeElement, key, preventDefault() {}, stopPropagation() {} });
    equal(press('ArrowDown'), true);
    equal(document.activeElement.id, 'w');
    press('ArrowRight');
    equal(document.activeElement.id, 'r');
    press('ArrowUp');
    equal(document.activeElement.id, 's');
    equal(press('x'), false);
  });
}
