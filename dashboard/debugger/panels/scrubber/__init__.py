"""The scrubber of a run: its cycles in stretches, idle gaps, and the cycle under the pointer."""
