"""The plugin x node matrix: verdicts and scores of a cycle."""
