"""The API server: the way to it, requests that are tried again, and what it serves and allows."""
