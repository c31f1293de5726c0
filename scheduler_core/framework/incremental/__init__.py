"""The filter and score phases computed incrementally, from what changed since the last cycle of the same pod class."""
