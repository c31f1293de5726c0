"""What would let a pending pod fit: changes of several kinds, each tried by the engine before it is called a remedy.

The size of a change orders remedies, the smallest first:

- An amount counts as its share of the node: of what the node can allocate, the largest over the resources. A node of
  4 cpu enlarged by 4 is 1; pods that have to go count with what they request. A lowered request is a change of the pod
  whatever node it was made up for, so it counts as its share of the largest of the nodes that are refused alike: 5 cpu
  lowered to 4 where the largest of them has 4 is 0.25. Of two requests of a resource the higher one comes first.
- One more value that a node selector or a required node affinity takes counts 0.5, less than one that is dropped.
- A maxSkew that is raised, and a node's limit of volumes, count with what is added as a share of the new value.
- A toleration, a taint taken off, a label of a node, a key of the node selector, a required term that is dropped, a
  spread constraint made soft, a host port, an end of a cordon, a scheduling gate, a volume or a claim that is made,
  moved or done without, and a pod that has to go for something else than room count 1 each, as they have no amount.
- A higher priority counts 1, as pods of others go; one more node counts 2, and so does a resource that no node has.

A change that consists of several counts their sum. Equal sizes are in order of their words. Nodes on which the same
change would do are one line with their count.
"""
