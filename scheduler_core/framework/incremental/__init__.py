"""The filter and score phases from what changed since the last cycle of the same pod class."""
