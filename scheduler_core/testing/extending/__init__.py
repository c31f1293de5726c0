"""Scenarios with extenders: their tape, and what extenders did in the format of the conformance data."""
