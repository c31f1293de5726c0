/** Parameters of an address that say which object is selected, or which kind of a new one is written. */
export const SELECTING = ['node', 'pod', 'kind', 'ns', 'name', 'new'];
