"""What browsers get of `static/`: few files, named by their content, compressed once."""
