/* The page of a draft takes in what others do: what its reader has opened stays open. */
window.Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
  !(name === 'open' && node.matches('details'));
