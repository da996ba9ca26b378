"""Find copies, leaks between the splits and wrong labels: `python -m <package>.check_data`."""
