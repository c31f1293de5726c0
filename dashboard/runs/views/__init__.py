"""The pages of runs: the list, the launch, and the verbs that their buttons send."""
