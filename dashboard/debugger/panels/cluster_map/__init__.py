"""The cluster map at a cursor: its colours, data, legend, cards, table, and the card of one node."""
