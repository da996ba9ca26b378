"""What is saved, and what a resume brings back."""
