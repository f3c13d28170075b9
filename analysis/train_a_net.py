"""Train a small network on wsim.env.VectorEnv until it beats a built-in policy, and print by how much.

    python analysis/train_a_net.py
    python analysis/train_a_net.py --seconds 300 --opponents greedy --out net.pt

Needs PyTorch (pip install torch). The network plays one seat, the line-up the others. It is trained by
proximal policy optimisation on its share of the victory and its lead in points, and evaluated on deals that it never
played.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
import torch
from torch import nn

import wsim
from wsim.env import VectorEnv

GAMES = 512  # played side by side
DECISIONS = 18  # of each game between two lessons: about one whole game
LAMBDA = 0.95
CLIP = 0.2
EPOCHS = 2  # each decision is used this many times
BATCH = 1024
POINTS = 0.03  # value of a one-point lead, in victories
EVALUATED = 4000
Array = np.ndarray[Any, Any]


class Net(nn.Module):
    """Scores of all actions and the value of the position, from the observation of a seat."""

    def __init__(self, columns: int, actions: int, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(columns))
        self.register_buffer("scale", torch.ones(columns))
        self.body = nn.Sequential(nn.Linear(columns, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def learn_scale(self, observations: torch.Tensor) -> None:
        """Set the mean and spread of every column from some observations."""
        self.mean = observations.mean(0)
        self.scale = observations.std(0).clamp(min=0.1)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits, -1e9 for illegal actions, and values."""
        hidden = self.body(((observations - self.mean) / self.scale).clamp(-5.0, 5.0))
        return self.policy(hidden).masked_fill(~masks, -1e9), self.value(hidden).squeeze(-1)


def lesson(env: VectorEnv, net: Net, step: Any, rng: torch.Generator) -> tuple[dict[str, torch.Tensor], Any, Array]:
    """Play some decisions in each game; return the training data, the last step, and the results of finished games."""
    kept: dict[str, list[torch.Tensor]] = {key: [] for key in ("seen", "masks", "actions", "logs", "values")}
    rewards, ends, wins = [], [], []
    for _ in range(DECISIONS):
        seen, masks = torch.from_numpy(step.observations.copy()), torch.from_numpy(step.masks.copy())
        with torch.no_grad():
            logits, values = net(seen.float(), masks)
        logs = logits.log_softmax(-1)
        noise = torch.empty_like(logs).exponential_(generator=rng)
        actions = (logs - noise.log()).argmax(-1)  # a draw from the policy, faster than torch.multinomial
        step = env.step(actions.numpy())
        scores = env.scores
        lead = scores[:, 0] - scores[:, 1:].mean(axis=1)
        rewards.append(np.where(step.done, step.rewards[:, 0] + POINTS * lead, 0.0))
        ends.append(step.done)
        wins.append(step.rewards[step.done, 0])
        chosen = logs.gather(1, actions[:, None]).squeeze(-1)
        for key, value in zip(kept, (seen, masks, actions, chosen, values), strict=True):
            kept[key].append(value)
    with torch.no_grad():
        after = net(torch.from_numpy(step.observations).float(), torch.from_numpy(step.masks))[1].numpy()
    values = np.stack([value.numpy() for value in kept["values"]])
    advantages = advantages_of(np.stack(rewards), np.stack(ends), values, after)
    batch = {key: torch.cat(parts) for key, parts in kept.items()}
    batch["advantages"] = torch.from_numpy(advantages.reshape(-1)).float()
    batch["returns"] = torch.from_numpy((advantages + values).reshape(-1)).float()
    return batch, step, np.concatenate(wins)


def advantages_of(rewards: Array, ends: Array, values: Array, after: Array) -> Array:
    """Return the advantage of each decision over the value that the net predicts (generalised advantage estimation)."""
    advantages = np.zeros_like(rewards)
    running = np.zeros(rewards.shape[1])
    for moment in reversed(range(len(rewards))):
        goes_on = ~ends[moment]
        running = rewards[moment] + goes_on * after - values[moment] + LAMBDA * goes_on * running
        advantages[moment] = running
        after = values[moment]
    return advantages


def study(net: Net, optimiser: torch.optim.Optimizer, batch: dict[str, torch.Tensor], rng: torch.Generator) -> None:
    """Improve the net with one batch of training data."""
    advantages = batch["advantages"]
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
    order = torch.cat([torch.randperm(len(advantages), generator=rng) for _ in range(EPOCHS)])
    for part in order.split(BATCH):
        logits, values = net(batch["seen"][part].float(), batch["masks"][part])
        logs = logits.log_softmax(-1)
        ratio = (logs.gather(1, batch["actions"][part][:, None]).squeeze(-1) - batch["logs"][part]).exp()
        gain = torch.minimum(ratio * advantages[part], ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[part]).mean()
        entropy = -(logs.exp() * logs.clamp(min=-30.0)).sum(-1).mean()
        loss = -gain + 0.5 * (values - batch["returns"][part]).square().mean() - 0.01 * entropy
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimiser.step()


def train(net: Net, env: VectorEnv, seconds: float, seed: int, telling: bool) -> int:
    """Train the net for some seconds; return the number of games played."""
    rng = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    step = env.reset()
    began, games, told = time.monotonic(), 0, 0.0
    recent: list[Array] = []
    net.learn_scale(torch.from_numpy(step.observations).float())
    first = True
    while (spent := time.monotonic() - began) < seconds:
        for group in optimiser.param_groups:
            group["lr"] = 1e-3 * max(0.05, 1.0 - spent / seconds)
        batch, step, wins = lesson(env, net, step, rng)
        if first:  # the first positions of games say little about the rest
            net.learn_scale(batch["seen"].float())
            first = False
            continue
        study(net, optimiser, batch, rng)
        games += len(wins)
        recent = [*recent[-9:], wins]
        if telling and spent - told > 15:
            told = spent
            print(f"{spent:4.0f} s  {games:8,} games  wins {np.concatenate(recent).mean():.3f}", file=sys.stderr)
    return games


def judge(net: Net, env: VectorEnv, games: int) -> Array:
    """Play games with the net's best actions; return its win share in the first game of each table."""
    step = env.reset()
    shares = np.full(env.games, np.nan)
    while np.isnan(shares).any():
        with torch.no_grad():
            logits, _ = net(torch.from_numpy(step.observations).float(), torch.from_numpy(step.masks))
        step = env.step(logits.argmax(-1).numpy())
        fresh = step.done & np.isnan(shares)
        shares[fresh] = step.rewards[fresh, 0]
    return shares[:games]


def main() -> None:
    """Train the net, evaluate it and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=540.0, help="training time")
    parser.add_argument("--opponents", default="greedy", help="the policy of the other seats")
    parser.add_argument("--ruleset", default="1e")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--width", type=int, default=128, help="width of the hidden layers")
    parser.add_argument("--games", type=int, default=EVALUATED, help="games of the evaluation")
    parser.add_argument(
        "--threads", type=int, default=1, help="threads of the network; more are slower on busy machines"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="a file for the weights")
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)
    keys = {"ruleset": given.ruleset, "players": given.players, "policies": given.opponents, "seats": [0]}
    try:
        env, fresh = VectorEnv(GAMES, seed=given.seed, **keys), VectorEnv(given.games, seed=given.seed + 1, **keys)
    except wsim.UserError as error:
        sys.exit(f"Error: {error}")
    with env, fresh:
        net = Net(len(env.columns), len(env.actions), given.width)
        before = time.process_time()
        games = train(net, env, given.seconds, given.seed, telling=sys.stderr.isatty())
        spent = time.process_time() - before
        shares = judge(net, fresh, given.games)
    if given.out:
        torch.save(net.state_dict(), given.out)
    half = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares))
    print(f"{games:,} games of training in {given.seconds:.0f} s, {spent:.0f} s of processor time")
    print(
        f"win share against {given.players - 1} x {given.opponents}: {shares.mean():.3f} "
        f"[{shares.mean() - half:.3f}, {shares.mean() + half:.3f}], n = {len(shares):,} games; "
        f"an equal player has {1 / given.players:.3f}"
    )


if __name__ == "__main__":
    main()
