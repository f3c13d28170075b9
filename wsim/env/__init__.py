"""Environments for reinforcement learning libraries, and vectorised stepping of many games.

aec, parallel: a PettingZoo environment in which agents play all seats.
single: a Gymnasium environment in which a line-up plays the other seats; singles: many such games as a vector
    environment.
spiel: a game with the interface of OpenSpiel's Python games.
VectorEnv: thousands of games stepped in one call, on numpy arrays.

All except VectorEnv and spiel need ``wsim[env]``. No library is imported before one of these functions is called.
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
    """Return a game as a PettingZoo environment in which agents act one after another.

    Parameters
    ----------
    plan: a plan (default: the game's default plan).
    actions: ``fixed``: an action has the same meaning in every position; ``moves``: an action is an index into the
        legal moves.
    reward: the reward at the end; ``win``: the win share; ``score``: points.
    keys: keys of the plan, named like the options of ``wsim run``: ruleset="2e", players=4, game=...
    """
    zoo: Any = _import_extra("wsim.env.zoo", "wsim.env.aec", "PettingZoo")
    env: GameAEC = zoo.GameAEC(plan, keys, actions, reward)
    return env


def parallel(plan: Plan | None = None, /, *, actions: str = "fixed", reward: str = "win", **keys: Any) -> GameParallel:
    """Return a game as a PettingZoo environment in which agents that choose at the same time act together.

    If an agent has no decision to make, its mask is empty and its action is ignored. Parameters are as for ``aec``.
    """
    zoo: Any = _import_extra("wsim.env.zoo", "wsim.env.parallel", "PettingZoo")
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
    """Return a game as a Gymnasium environment in which the agent plays one seat and the line-up plays the others.

    Parameters
    ----------
    seat: the agent's seat; the line-up's policy for it is not used.
    illegal: what happens after an action that the mask forbids. ``end``: the game ends with reward -1 and the reason in
        ``info["illegal"]`` (Gymnasium's checker ignores masks and needs this); ``raise``: UserError is raised.
    observations: ``counts``: unscaled int16; ``scaled``: float32 from -1 to 1, as most learning algorithms require.
    plan, actions, reward, keys: as for ``aec``.
    """
    gym: Any = _import_extra("wsim.env.gym", "wsim.env.single", "Gymnasium")
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
    """Return many games as one ``gymnasium.vector.VectorEnv``; the agent plays one seat in each game.

    Parameters
    ----------
    games: the number of games. threads: the number of threads; None: one per processor.
    observations: see ``single``. An illegal action raises UserError and leaves the games unchanged.
    """
    gym: Any = _import_extra("wsim.env.gym", "wsim.env.singles", "Gymnasium")
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
    deals: None: the chance node before the first decision has a single outcome, which draws the next game of the seed
        (sampled stochastic); N: the chance node has N equally likely outcomes, the first N games of the seed
        (explicit).
    plan, actions, reward, keys: as for ``aec``. OpenSpiel does not have to be installed.
    """
    env: SpielGame = import_module("wsim.env.states").SpielGame(plan, keys, deals, actions, reward)
    return env


def _import_extra(module: str, name: str, library: str) -> Any:
    """Import a name from a module that needs the extra; raise UserError with the install command if it is missing."""
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
