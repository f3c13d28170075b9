"""The catalogue of Tower of Babel: its components and switches, with patches and changes laid over them."""

from wsim.babel.catalog.loading import Assumption, Catalog, Disc, load_catalog
from wsim.babel.catalog.reading import ACTION_CARDS, KINDS

__all__ = ["ACTION_CARDS", "KINDS", "Assumption", "Catalog", "Disc", "load_catalog"]
