"""The catalogue of Tower of Babel: babel.toml with patches and changes applied, as validated frozen records.

``model`` defines the records, ``reading`` reads values within their bounds, ``check`` validates conditions on several
values, ``loading`` combines all of this, and ``compiling`` converts a catalogue to the RULES record of the kernels.
"""

from wsim.babel.catalog.loading import load_catalogue
from wsim.babel.catalog.model import Assumption, Catalogue, Disc

__all__ = ["Assumption", "Catalogue", "Disc", "load_catalogue"]
