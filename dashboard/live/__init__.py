"""Live: websocket consumers and the tailer of running recordings."""
