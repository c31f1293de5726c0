"""The reasons for a cycle's outcome: the comparison of scores, refusals, and remedies."""
