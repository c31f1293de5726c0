"""Kinds: each module reads one kind of object, or a part that several kinds have; the registry lists the kinds."""
