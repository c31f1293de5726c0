"""Branches: what would follow if something had been changed at a place in a run.

A branch is a run of its own: the inputs of the run that it comes from and changes, each with the number of events
after which it takes effect (``InputChange``). It holds no reference to the parent run. Up to the first change both runs
have the same events, so a branch can resume from any earlier keyframe of its parent; executed from the beginning, its
inputs give the same recording and hash.

``branching.py`` begins a branch at a seq of a run; ``change_lists.py`` reads changes in their file form,
``whole_objects.py`` has those that the engine made up itself.
"""
