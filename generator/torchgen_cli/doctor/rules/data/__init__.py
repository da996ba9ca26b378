"""What is loaded, by whom and in which order."""
