"""The side of the worker: what is known of a run, what is kept of it for the next question, and each answer."""
