"""Values that a member watches beside a cursor: the list, and their changes for the page to look them up."""
