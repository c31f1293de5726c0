"""Values that a member watches beside a cursor: the list, and the changes of each over the run for the page."""
