"""Environments of the libraries for learning, and many games stepped at once.

aec, parallel: a game for PettingZoo, all seats played by agents.
single: a game for Gymnasium, the other seats played by a line-up; singles: many such games as one vector environment.
spiel: a game with the interface of OpenSpiel's Python games.
VectorEnv: thousands of games in one call, on numpy arrays.

All but VectorEnv and spiel need ``wsim[env]``; nothing is imported before one of them is called.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wsim.env.gym import SeatVectorEnv, SingleEnv
    from wsim.env.states import SpielGame
    from wsim.env.vector import Step, VectorEnv
    from wsim.env.zoo import GameAEC, GameParallel
    from wsim.lab.plan import Plan

__all__ = ["Step", "VectorEnv", "aec", "parallel", "single", "singles", "spiel"]


def aec(plan: Plan | None = None, /, *, actions: str = "fixed", reward: str = "win", **keys: Any) -> GameAEC:
    """Return a game as an environment of PettingZoo in which one agent acts after the other.

    Parameters
    ----------
    plan: a plan; without it the game's default plan.
    actions: ``fixed``: the same action means the same in every position; ``moves``: index into the legal moves.
    reward: at the end, ``win``: the share of the victory; ``score``: points.
    keys: keys of the plan, which are the options of ``wsim run``: ruleset="2e", players=4, game=...
    """
    zoo: Any = _extra("wsim.env.zoo", "wsim.env.aec", "PettingZoo")
    made: GameAEC = zoo.GameAEC(plan, keys, actions, reward)
    return made


def parallel(plan: Plan | None = None, /, *, actions: str = "fixed", reward: str = "win", **keys: Any) -> GameParallel:
    """Return a game as an environment of PettingZoo in which agents that choose at the same time act together.

    An agent that has nothing to decide has an empty mask; its action is not looked at. Parameters as for ``aec``.
    """
    zoo: Any = _extra("wsim.env.zoo", "wsim.env.parallel", "PettingZoo")
    made: GameParallel = zoo.GameParallel(plan, keys, actions, reward)
    return made


def single(
    plan: Plan | None = None,
    /,
    *,
    seat: int = 0,
    actions: str = "fixed",
    reward: str = "win",
    illegal: str = "end",
    observations: str = "counts",
    **keys: Any,
) -> SingleEnv:
    """Return a game as an environment of Gymnasium: one seat is played by the agent, the others by the line-up.

    Parameters
    ----------
    seat: the agent's; the policy that the line-up has for it is not asked.
    illegal: what becomes of an action that the mask forbids. ``end``: the game is over with reward -1 and the reason
        in ``info["illegal"]``, as Gymnasium's checker, which knows no masks, needs it; ``raise``: UserError.
    observations: ``counts``: int16 as they are; ``scaled``: float32 from -1 to 1, as most learners want them.
    plan, actions, reward, keys: as for ``aec``.
    """
    gym: Any = _extra("wsim.env.gym", "wsim.env.single", "Gymnasium")
    made: SingleEnv = gym.SingleEnv(
        plan, keys, seat, actions=actions, reward=reward, illegal=illegal, observations=observations
    )
    return made


def singles(
    games: int,
    plan: Plan | None = None,
    /,
    *,
    seat: int = 0,
    observations: str = "scaled",
    actions: str = "fixed",
    reward: str = "win",
    threads: int | None = None,
    **keys: Any,
) -> SeatVectorEnv:
    """Return many games as one ``gymnasium.vector.VectorEnv``: in each, one seat is the agent's.

    Parameters
    ----------
    games: how many. threads: that step them; None: as many as there are processors.
    observations: see ``single``. An illegal action raises UserError and changes nothing.
    """
    gym: Any = _extra("wsim.env.gym", "wsim.env.singles", "Gymnasium")
    vector = import_module("wsim.env.vector").VectorEnv
    stepped = vector(games, plan, seats=(seat,), actions=actions, reward=reward, threads=threads, **keys)
    made: SeatVectorEnv = gym.SeatVectorEnv(stepped, seat, observations)
    return made


def spiel(
    plan: Plan | None = None,
    /,
    *,
    deals: int | None = None,
    actions: str = "fixed",
    reward: str = "win",
    **keys: Any,
) -> SpielGame:
    """Return a game with the interface of OpenSpiel's Python games: ``new_initial_state``, chance, information states.

    Parameters
    ----------
    deals: None: the chance node before the first decision has one outcome, which draws the next game of the seed
        (sampled stochastic); a number: it has so many, equally likely, the first games of the seed (explicit).
    plan, actions, reward, keys: as for ``aec``. OpenSpiel itself is not needed.
    """
    made: SpielGame = import_module("wsim.env.states").SpielGame(plan, keys, deals, actions, reward)
    return made


def _extra(module: str, name: str, library: str) -> Any:
    """Import a module that needs the extra; raise UserError that names it where it is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] not in ("gymnasium", "pettingzoo"):
            raise
        from wsim.errors import UserError

        raise UserError(f'{name} needs {library}, which is not installed: pip install "wsim[env]"') from error


def __getattr__(name: str) -> Any:
    if name not in ("Step", "VectorEnv"):
        raise AttributeError(f"module 'wsim.env' has no attribute {name!r}")
    value = getattr(import_module("wsim.env.vector"), name)
    globals()[name] = value
    return value
