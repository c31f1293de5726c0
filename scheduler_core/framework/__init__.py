"""Contracts of the scheduling framework (interface), status codes, cycle state, and the runtime that runs the points."""
