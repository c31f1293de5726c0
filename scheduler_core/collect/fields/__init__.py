"""What leaves of an object, and under which names."""
