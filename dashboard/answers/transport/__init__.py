"""How a question reaches an answer worker and its answer comes back: a local socket, or Redis."""
