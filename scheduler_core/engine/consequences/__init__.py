"""What follows a change without the scheduler: pods end, owners make others, claims are made, freed and deleted.

``aftermath.py`` gathers the causes in a step and carries their consequences out at its end; ``evictions.py`` ends pods,
``ownership.py`` has the workloads with their pods, ``claims.py`` plays the controller of resource claims.
"""
