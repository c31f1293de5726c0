"""Why this node and not that one: points of any nodes side by side, and how far weights and requests may move.

Recorded scores win: those of nodes that were scored come from the cycle's frame. What a refused node would have had is
an attempt of the engine in which it is scored beside the feasible ones; normalisers see it then, so that the others may
have other points in that attempt, which are not shown.

The winner stays where the set of nodes with the best total is the same: a draw among the same nodes gives the same one.
"""
