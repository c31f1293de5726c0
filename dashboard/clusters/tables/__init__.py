"""The tables of nodes, pods and other objects of a revision."""
