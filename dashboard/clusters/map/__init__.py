"""The cluster's map: what is requested of each node's resources, pods as tiles, pods without a node."""
