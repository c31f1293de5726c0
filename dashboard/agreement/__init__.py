"""What a dump says of the real scheduler: why its pending pods wait, and whether the engine agrees."""
