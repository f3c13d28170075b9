"""The catalogue of 7 Wonders: cards.toml, with patches and changes laid over it, as checked and frozen records.

>>> catalogue = load_catalogue("2e", changes=["cards.Palace.points=6"])
>>> catalogue.card("Palace").effects.points
6

``model`` (the records), ``effects`` (one row an effect), ``reading`` (entries), ``ruleset`` (rule sets), ``check``
(what must hold of the whole), ``loading`` (all of it together, with layers, patches and changes), ``listing`` (what
people see) and ``compiling`` (the record that kernels play by).
"""

from wsim.paths import default_cards_path
from wsim.wonders.catalog.effects import Count, Effects, Toll, TradeDiscount, TradePrice
from wsim.wonders.catalog.loading import load_catalogue, ruleset_names
from wsim.wonders.catalog.model import Card, Catalogue, Cost, Settings, Stage, Wonder

__all__ = [
    "Card",
    "Catalogue",
    "Cost",
    "Count",
    "Effects",
    "Settings",
    "Stage",
    "Toll",
    "TradeDiscount",
    "TradePrice",
    "Wonder",
    "default_cards_path",
    "load_catalogue",
    "ruleset_names",
]
