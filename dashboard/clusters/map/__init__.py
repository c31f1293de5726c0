"""The cluster's map: requests on each node by resource, pods as tiles, pods without a node."""
