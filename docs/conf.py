"""Settings of the documentation. Code on the pages runs when they are built: see _ext/livedocs."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE / "report"), str(HERE.parent)]

import pydpstat  # noqa: E402

project = "pydpstat"
author = "the pydpstat authors"
copyright = f"{author}; free software under the GPL, version 3 or later"
release = version = pydpstat.__version__

extensions = [
    "livedocs.extension",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_ext", "_static"]
# `text` without a role is code
default_role = "code"
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = False
autodoc_typehints = "none"
try:
    import pydpstat.sklearn  # noqa: F401
except pydpstat.MissingExtraError:
    # an extra, which Debian has in an older version
    autodoc_mock_imports = ["sklearn"]
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# the address is a setting of pyproject.toml; without one the pages do not link to their source and the issues
with (HERE.parent / "pyproject.toml").open("rb") as settings:
    repository = tomllib.load(settings)["project"].get("urls", {}).get("Repository", "")

html_theme = "furo"
html_title = f"pydpstat {release}"
html_short_title = "pydpstat"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_theme_options = (
    {
        "source_repository": repository,
        "source_branch": "main",
        "source_directory": "docs/",
        "footer_icons": [{"name": "Report an issue", "url": f"{repository}/issues", "html": "Issues", "class": ""}],
    }
    if repository
    else {}
)
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
highlight_language = "python"
