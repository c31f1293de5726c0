"""What the strip of a run shows: its cycles in stretches, idle gaps, and the cycle under the pointer."""
