"""Both decisions under the cursors: what each came to, and plugin by plugin why they differ."""
