"""Pieces of collectors as they are received: by a token, checked, masked, each once and in order."""
