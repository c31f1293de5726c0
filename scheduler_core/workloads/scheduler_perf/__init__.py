"""Configurations of scheduler_perf, the benchmark of kube-scheduler: their test cases as clusters and timelines."""
