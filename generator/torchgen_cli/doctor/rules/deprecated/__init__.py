"""What newer libraries lack or refuse."""
