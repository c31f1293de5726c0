import { requestsText } from '../../../../static/debugger/why-node/requests.js';
import { equal } from '../../assert.js';

export function requests_that_are_as_recorded_or_empty_stay_out_of_the_address() {
  const cpu = { resource: 'cpu', suffix: '', value: '0.70', recorded: '0.6' };
  const memory = { resource: 'memory', suffix: 'Mi', value: '640', recorded: '512' };
  equal(requestsText([cpu, memory]), 'cpu:0.70,memory:640Mi');
  equal(requestsText([{ ...cpu, value: '0.60' }, memory]), 'memory:640Mi');
  equal(requestsText([{ ...cpu, value: '' }]), '');
}
