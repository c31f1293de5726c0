import { proposals } from '../../../../static/clusters/yaml/completion.js';
import { load } from '../../../../static/clusters/yaml/guide.js';
import { equal } from '../../assert.js';

const GUIDE = {
  kinds: {
    Thing: {
      kind: { says: 'k', sort: 'text' },
      sizes: { says: 's', sort: 'mapping by name', ideas: ['memory'], part: 'Size', is_keyed: true },
    },
  },
  parts: { Size: { value: { says: 'v', sort: 'quantity' }, policy: { says: 'p', sort: 'mapping', part: 'Size' } } },
};

async function offered(lines, row, column) {
  const fetched = globalThis.fetch;
  globalThis.fetch = async () => ({ ok: true, json: async () => GUIDE });
  await load('guide');
  globalThis.fetch = fetched;
  return proposals(lines, row, column).map((one) => one.value);
}

export async function below_a_mapping_by_name_names_are_free() {
  equal(await offered(['kind: Thing', 'sizes:', '  '], 2, 2), ['memory:\n    ']);
}

export async function below_such_a_name_are_the_fields_of_its_part() {
  equal(await offered(['kind: Thing', 'sizes:', '  any.name/x:', '    '], 3, 4), ['value: ', 'policy:\n      ']);
}
