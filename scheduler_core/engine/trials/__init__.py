"""Attempts on a restored state: what one scheduling attempt of a pod decides there, with or without changes.

>>> simulation = restore_at(inputs, keyframe, seq, make_frameworks)    # doctest: +SKIP
>>> trials = Trials(simulation, now=at_us)                             # doctest: +SKIP
>>> trials.attempt("default/web-1").node                               # doctest: +SKIP
>>> trials.attempt("default/web-1", Changes(gone=("default/db-0",)))   # doctest: +SKIP
"""
