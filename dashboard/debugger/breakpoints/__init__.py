"""Breakpoints on the page of a cursor: the list with its hits, the form, and navigation from hit to hit."""
