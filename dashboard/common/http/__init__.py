"""Requests and responses: parameters, htmx, caching, origins, static files."""
