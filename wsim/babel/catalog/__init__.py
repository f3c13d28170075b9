"""The catalogue of Tower of Babel: babel.toml, with patches and changes laid over it, as checked and frozen records.

``model`` (the records), ``reading`` (every value with its bounds), ``check`` (what must hold of several values),
``loading`` (all of it together) and ``compiling`` (the record that kernels play by).
"""

from wsim.babel.catalog.loading import load_catalogue
from wsim.babel.catalog.model import Assumption, Catalogue, Disc

__all__ = ["Assumption", "Catalogue", "Disc", "load_catalogue"]
