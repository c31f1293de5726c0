"""A branch's changes kept: as a draft or revision of its cluster, in a configuration, as a timeline.

`changed_objects.py` follows each object through the changes, as the run and as the cluster has it; `entries.py` has the
changes as entries of a timeline, `configuration.py` as a configuration, `newer.py` what others saved meanwhile.
`plan.py` gathers what can be kept where, for the page; `actions.py` does it.
"""
