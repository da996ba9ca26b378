"""What a run looks like: `python -m PACKAGE.report RUN`.

Nothing here is imported before a run is over; open it to change what the page shows.
"""

import os

# figures are drawn into files alone: what shows those of a notebook may not be installed
os.environ.pop("MPLBACKEND", None)
