"""New pods on their way in: what admission makes of them, at the start of a run and during it."""
