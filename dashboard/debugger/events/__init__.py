"""The events of a run for people: sentences, causes, the list and its filters."""
