"""The Live page of a followed cluster."""
