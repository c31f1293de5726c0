"""Why a cycle ended as it did: the comparison of scores, the refusals and the nearest misses."""
