"""The configuration of the documentation as a site, which opens without a network: `make docs`.

Sources are the pages as they are, from the folder of the repository, so that a link to any file of it leads there.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "dialer"
copyright = "the dialer authors"  # noqa: A001 - the name of Sphinx's setting
extensions = ["myst_parser", "rest_reference"]
root_doc = "docs/index"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**.md"]
exclude_patterns = [".*", "build", "dist", "docs/site", "src", "tests", "benchmarks", "clients", "examples"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "dialer"
html_copy_source = False
html_show_sphinx = False
# Answers of docs/tour.md are cut off with "…", so they are no valid text of their language.
# Decisions are reached from their list. In the navigation of each page, 150 of them would take a third of the build.
suppress_warnings = ["misc.highlighting_failure", "toc.not_included"]
