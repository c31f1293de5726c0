"""Node groups and capacity: which group would let pods run, how many more fit, what a drain does, what is not needed.

``groups/`` has what a node group is and where it comes from; ``resting.py`` the cluster as it is asked, with nodes more
or fewer; ``adding.py``, ``fitting.py`` and ``leaving.py`` answer. What is asked is placed by the engine in every case:
kube-scheduler would accept these nodes; whether an autoscaler adds them is another question.
"""
