"""The catalogue of Tower of Babel: babel.toml with patches and changes, as checked and frozen records.

``model`` (the records), ``reading`` (values and their bounds), ``check`` (conditions on several values), ``loading``
(all of these together) and ``compiling`` (the record for kernels).
"""

from wsim.babel.catalog.loading import load_catalogue
from wsim.babel.catalog.model import Assumption, Catalogue, Disc

__all__ = ["Assumption", "Catalogue", "Disc", "load_catalogue"]
