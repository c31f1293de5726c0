"""Data that is in the run's inputs, not in its recording: sizes of pods and nodes, the order of nodes, sums of
requests.
"""
