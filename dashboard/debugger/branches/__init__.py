"""Branching at the cursor: the form with the changes, and the display of origins and branches."""
