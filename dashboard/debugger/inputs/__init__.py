"""What the recording leaves to the run's inputs: sizes of pods and nodes, the nodes in order, what is requested."""
