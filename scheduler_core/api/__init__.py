"""Typed Kubernetes objects, quantities and selectors. Imports nothing else of the core, and no numpy."""
