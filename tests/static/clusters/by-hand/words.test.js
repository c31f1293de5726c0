import { kindOf, kindsOf, nameOf, words } from '../../../../static/clusters/by-hand/words.js';
import { equal } from '../../assert.js';

export function an_object_is_called_by_its_kind_and_name() {
  equal(kindOf('Pod/shop/web-1'), 'Pod');
  equal(nameOf('Pod/shop/web-1'), 'web-1');
  equal(nameOf('Node//node-a'), 'node-a');
  equal(words(['Node//node-a']), 'Node node-a');
}

export function several_are_counted_by_kind() {
  equal(words(['Node//a', 'Node//b', 'Pod/shop/web']), '2 Nodes, 1 Pod');
  equal(words(['StorageClass//a', 'StorageClass//b']), '2 StorageClasses');
  equal(kindsOf(['Node//a', 'Node//b', 'Pod/shop/web']), '2 Nodes, 1 Pod');
  equal(kindsOf(['Node//a', 'Node//b']), 'Nodes');
  equal(words(Array(1204).fill('Node//a')), '1,204 Nodes');
}
