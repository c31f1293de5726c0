"""Saves a branch's changes: as a draft or revision of its cluster, as a configuration, as a timeline.

`changed_objects.py` follows each object through the changes, as the run has it and as the cluster has it; `entries.py`
turns the changes into entries of a timeline, `configuration.py` into a configuration; `newer.py` finds what others
saved meanwhile. `plan.py` lists for the page what can be saved where; `actions.py` saves it.
"""
