"""Runs that leave another one: begun by people, and brought to their place by a worker.

A branch takes over the recording of its origin up to the last keyframe before it begins, and is resumed there like any
run that a worker was interrupted in: its inputs have the changes, so that it comes to them by itself. Where there is
nothing to take over, it is executed from its start, with the same outcome.
"""
