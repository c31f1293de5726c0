"""Tapes: what extenders answered during a run, kept in a file, so that the run can be repeated without them."""
