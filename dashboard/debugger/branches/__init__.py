"""A branch from the cursor: its form with what may be changed there, and how runs that left one another are shown."""
