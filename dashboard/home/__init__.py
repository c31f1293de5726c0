"""The first page of a workspace; it stands above all features, since it shows something of each."""
