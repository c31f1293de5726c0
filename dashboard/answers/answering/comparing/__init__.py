"""Answers about two runs, or one at two moments: both sides in figures and pods, and their attempts aligned."""
