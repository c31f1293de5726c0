"""Breakpoints: their definitions, what they are attached to, the exact stop of a live run, and how it goes on."""
