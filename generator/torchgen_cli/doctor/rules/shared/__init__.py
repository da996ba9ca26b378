"""What rules of several groups ask."""
