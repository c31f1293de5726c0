"""What takes too long for a request: background workers do it, and a page says how far it is."""
