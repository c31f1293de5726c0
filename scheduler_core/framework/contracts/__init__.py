"""What a plugin author reads: extension points, answers, statuses, events, and the state of a cycle and a run."""
