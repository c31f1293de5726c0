"""One message of failed scheduling taken apart: what it says, what it leaves open, what to fetch next."""
