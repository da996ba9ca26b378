"""torchgen: writes PyTorch training repositories and keeps them up to date."""
