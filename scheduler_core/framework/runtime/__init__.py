"""The plain engine: runs each extension point by asking every plugin about every node."""
