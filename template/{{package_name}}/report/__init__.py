"""What a run looks like: `python -m PACKAGE.report RUN`.

Nothing here is imported before a run is over; open it to change what the page shows.
"""
