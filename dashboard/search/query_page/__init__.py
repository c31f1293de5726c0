"""The page of a query: hits of one run, of chosen runs or of the workspace, counted over time and by groups."""
