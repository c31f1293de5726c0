"""The inspector's head: one cycle at the cursor, by extension point."""
