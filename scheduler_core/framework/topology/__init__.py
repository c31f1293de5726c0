"""Topology domains: sums of pods by the value of a node label, and from domains back to rows."""
