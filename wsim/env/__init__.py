"""Environments for learning libraries, and many games stepped at once.

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
    """Return a game as a PettingZoo environment in which one agent acts after the other.

    Parameters
    ----------
    plan: a plan (default: the game's default plan).
    actions: ``fixed``: an action means the same in every position; ``moves``: index into the legal moves.
    reward: given at the end; ``win``: the win share; ``score``: points.
    keys: keys of the plan, the same as the options of ``wsim run``: ruleset="2e", players=4, game=...
    """
    zoo: Any = _extra("wsim.env.zoo", "wsim.env.aec", "PettingZoo")
    env: GameAEC = zoo.GameAEC(plan, keys, actions, reward)
    return env


def parallel(plan: Plan | None = None, /, *, actions: str = "fixed", reward: str = "win", **keys: Any) -> GameParallel:
    """Return a game as a PettingZoo environment in which agents that choose at the same time act together.

    An agent that has nothing to decide has an empty mask; its action is ignored. Parameters as for ``aec``.
    """
    zoo: Any = _extra("wsim.env.zoo", "wsim.env.parallel", "PettingZoo")
    env: GameParallel = zoo.GameParallel(plan, keys, actions, reward)
    return env


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
    """Return a game as a Gymnasium environment: the agent plays one seat, the line-up plays the others.

    Parameters
    ----------
    seat: the agent's seat; the line-up's policy for it is not used.
    illegal: the effect of an action that the mask forbids. ``end``: the game ends with reward -1 and the reason in
        ``info["illegal"]`` (Gymnasium's checker ignores masks and needs this); ``raise``: UserError.
    observations: ``counts``: unscaled int16; ``scaled``: float32 from -1 to 1, as most learners need.
    plan, actions, reward, keys: as for ``aec``.
    """
    gym: Any = _extra("wsim.env.gym", "wsim.env.single", "Gymnasium")
    env: SingleEnv = gym.SingleEnv(
        plan, keys, seat, actions=actions, reward=reward, illegal=illegal, observations=observations
    )
    return env


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
    """Return many games as one ``gymnasium.vector.VectorEnv``; the agent plays one seat in each.

    Parameters
    ----------
    games: number of games. threads: number of threads; None: one per processor.
    observations: see ``single``. An illegal action raises UserError and changes nothing.
    """
    gym: Any = _extra("wsim.env.gym", "wsim.env.singles", "Gymnasium")
    vector = import_module("wsim.env.vector").VectorEnv
    stepped = vector(games, plan, seats=(seat,), actions=actions, reward=reward, threads=threads, **keys)
    env: SeatVectorEnv = gym.SeatVectorEnv(stepped, seat, observations)
    return env


def spiel(
    plan: Plan | None = None, /, *, deals: int | None = None, actions: str = "fixed", reward: str = "win", **keys: Any
) -> SpielGame:
    """Return a game with the interface of OpenSpiel's Python games: ``new_initial_state``, chance, information states.

    Parameters
    ----------
    deals: None: the chance node before the first decision has one outcome, which draws the next game of the seed
        (sampled stochastic); N: it has N equally likely outcomes, the first N games of the seed (explicit).
    plan, actions, reward, keys: as for ``aec``. OpenSpiel need not be installed.
    """
    env: SpielGame = import_module("wsim.env.states").SpielGame(plan, keys, deals, actions, reward)
    return env


def _extra(module: str, name: str, library: str) -> Any:
    """Import a module that needs the extra; raise UserError naming the extra if it is missing."""
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
