"""Breakpoints on the page of a cursor: the list with its hits, the form, and the way from hit to hit."""
