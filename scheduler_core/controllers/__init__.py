"""What the controllers of kube-controller-manager want after a change: decisions only, nothing is carried out here.

A workload (``api.Workload``), what was counted of it so far (``WorkloadProgress``) and its pods as they are now give a
``Decision``: pods to make, pods to remove, when to look again. The engine carries it out and keeps the counts; nothing
here has a clock, a cluster or a memory of its own.
"""
