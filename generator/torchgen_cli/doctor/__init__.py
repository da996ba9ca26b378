"""`torchgen doctor`: checks training code file by file, without importing it; see `checks/`."""
