"""What people write: checked, made HTML, and who and what it refers to."""
