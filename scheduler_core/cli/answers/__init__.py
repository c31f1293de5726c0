"""Commands that explain decisions: our own, or those of a real scheduler."""
