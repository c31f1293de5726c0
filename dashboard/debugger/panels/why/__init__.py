"""Why a cycle ended as it did: the comparison of scores, the refusals, and what would let the pod fit."""
