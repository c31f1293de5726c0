"""What threads are pinned to: the address of a thing in a run, and what the recording says of it."""
