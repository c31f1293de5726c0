"""Where one looks: the cursor and its address, the state at it, and the places that can be reached from it."""
