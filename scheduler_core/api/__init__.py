"""Typed Kubernetes objects, quantities and selectors. Imports nothing else of the core, and no numpy.

The objects are frozen and hold no cycles, so the garbage collector need not look at them (gc=False): a cluster holds
hundreds of thousands, and passes over them were most of what a page or a chunk waited for.
"""
