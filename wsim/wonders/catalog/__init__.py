"""The 7 Wonders catalogue: cards.toml with patches and changes applied, as validated frozen records.

>>> catalogue = load_catalogue("2e", changes=["cards.Palace.points=6"])
>>> catalogue.card("Palace").effects.points
6

``model`` defines the records, ``effects`` one row per effect. ``reading`` reads entries, ``ruleset`` rule sets;
``check`` validates the catalogue as a whole, ``loading`` combines all of this. ``listing`` formats a catalogue,
``compiling`` converts it to the RULES record of the kernels.
"""

from wsim.paths import default_cards_path
from wsim.wonders.catalog.effects import Count, Effects, Toll, TradeDiscount, TradePrice
from wsim.wonders.catalog.loading import load_catalogue, ruleset_names
from wsim.wonders.catalog.model import Card, Catalogue, Cost, Settings, Stage, Wonder

__all__ = [
    "Card", "Catalogue", "Cost", "Count", "Effects", "Settings", "Stage", "Toll", "TradeDiscount", "TradePrice",
    "Wonder", "default_cards_path", "load_catalogue", "ruleset_names",
]  # fmt: skip
