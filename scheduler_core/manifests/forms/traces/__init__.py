"""Traces and inputs of other tools."""
