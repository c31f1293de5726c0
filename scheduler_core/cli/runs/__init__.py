"""Commands that execute runs."""
