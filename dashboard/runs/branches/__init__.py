"""Branches: runs that continue another run from a place in it, with changes.

A branch copies the recording of its origin up to the last keyframe before its place and is resumed there, like any run
whose worker was interrupted. Its inputs contain the changes, so the engine carries them out when it reaches the place.
Where nothing can be copied, the branch is executed from its start, with the same result.
"""
