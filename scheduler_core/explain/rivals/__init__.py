"""Why this node and not that one: scores of any nodes side by side, and how far weights and requests may change.

Recorded scores take precedence: those of scored nodes come from the cycle's frame. For a refused node, the engine makes
an attempt in which it is scored along with the feasible ones. Normalisers see it, too, so the other nodes may get other
scores in that attempt; these are not shown.

The winner stays where the set of nodes with the best total is the same: a draw among the same nodes gives the same one.
"""
