"""Breakpoints: definitions, attachments to runs, the exact stop of a live run, and how it continues."""
