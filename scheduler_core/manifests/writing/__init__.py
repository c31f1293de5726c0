"""Typed objects back to manifests, for changes that the engine made up: it edits its own types.

``fields.py`` says where a field of an object stands in its manifest and how its value is written; ``objects.py``
writes what differs into a manifest and reads it again: what does not come back the same is refused, by field.
"""
