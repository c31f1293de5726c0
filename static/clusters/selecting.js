/** Parameters of an address that say which object is selected, or which kind of a new one is written. */
export const SELECTING = ['node', 'pod', 'kind', 'ns', 'name', 'new'];

/** Return the parameters that select an object; those without a value are left out. */
export function paramsOf(kind, namespace, name) {
  if (kind === 'Node') return { node: name };
  if (kind === 'Pod') return { pod: `${namespace}/${name}` };
  return { kind, ...(namespace && { ns: namespace }), name };
}
