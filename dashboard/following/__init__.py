"""Clusters that a collector follows: pieces received and folded, moments kept as revisions, the Live page."""
