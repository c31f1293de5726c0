"""The inspector's head: one cycle as of the cursor, extension point by extension point."""
