"""Contracts of the scheduling framework, status codes, cycle state, and the runtime that runs the points."""
