"""The events of a run as people read them: words, what caused what, the list and its filters."""
