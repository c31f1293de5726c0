"""Debugger: the page that shows a cursor over a recording."""
