"""The arrivals of a timeline: its entries as a strip over time and as a table, and edits of those in an interval."""
