"""`torchgen doctor`: rules for training code, checked without importing it."""
