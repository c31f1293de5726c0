"""What would let a pending pod fit: changes of several kinds, each tried by the engine before it is called a remedy.

The size of a change orders remedies, the smallest first:

- An amount counts as its share of the node: of what the node can allocate, the largest over the resources. A request
  of 5 cpu lowered to 4 on a node of 4 cpu is 0.25; a node of 4 cpu enlarged by 4 is 1; pods that have to go count with
  what they request.
- A toleration, a label of a node, a key of the node selector, a required term or a spread constraint that is dropped,
  a host port and an end of a cordon count 1 each, as they have no amount.
- A higher priority counts 1, as pods of others go; one more node counts 2.

A change that consists of several counts their sum. Equal sizes are in order of their words. Nodes on which the same
change would do are one line with their count.
"""
