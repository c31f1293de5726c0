"""The cluster map of a cursor: what fills it, its data, legend, cards, table, and the card of one node."""
