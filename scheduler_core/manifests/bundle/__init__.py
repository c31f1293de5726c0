"""What was collected of a live cluster over a time: a bundle, format 1.

A bundle is a .tar.gz (or a folder while it is written) of four files, in this order: ``meta.json`` (BundleMeta), and
lines of JSON: ``objects.jsonl`` (ListedObject: what was there when the collection began), ``events.jsonl`` (Change: of
Event objects) and ``changes.jsonl`` (Change: of all other objects, in the order in which they were seen).

The state at a moment is what was listed, with the changes until then. Changes are ordered by resourceVersion where both
have one that is a number, as one counter of the API server numbers all kinds; their times are those of their receipt.
"""
