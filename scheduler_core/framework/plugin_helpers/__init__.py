"""What several plugins share, as plugins never import each other: node selectors, volumes, words of errors."""
