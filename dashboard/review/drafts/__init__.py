"""Comments that their author keeps until they are submitted as one review."""
