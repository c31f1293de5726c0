"""collect: what reads a live cluster."""
