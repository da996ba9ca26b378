"""Training beyond one machine: hosts of network namespaces, and a real Slurm on two of them."""
