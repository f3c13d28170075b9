"""The process of an isolated policy, ``python -m wsim.policies.isolated_worker`` (see ``wsim.policies.isolation``).

It reads one JSON line (what to load), confines itself, reports the missing restrictions (one line), loads the policy
and describes it (one line). It then makes decisions, with one thread per channel: for each request (first decision,
end), it reads these decisions from shared memory, writes the chosen indices there and answers with one byte.
"""

from __future__ import annotations

import mmap
import os
import threading
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wsim.policies.confined_start import begin, confine_first, end_with_parent, refuse, say
from wsim.policies.confinement import confine_files
from wsim.policies.isolation import Slots, serve

if TYPE_CHECKING:
    from wsim.policies.user_policies import UserPolicy


def _load(spec: dict[str, Any], answers: int) -> tuple[UserPolicy, Any]:
    from wsim.policies.declare import isolated, unchecked
    from wsim.policies.lineup import parse_entry
    from wsim.policies.user_policies import plug

    interface = import_module(spec["registry"]).POLICIES.interface()
    confine_first(spec, answers)
    entry = parse_entry(spec["entry"])
    if spec["file"]:
        entry = replace(entry, path=spec["file"])
    with isolated(False), unchecked() if spec["unchecked"] else nullcontext():
        return plug(entry, interface, copies=False), interface


def main() -> None:
    """Load a policy and make decisions until the channels are closed."""
    spec, answers = begin()
    memory = mmap.mmap(spec["shared"], spec["size"])
    os.close(spec["shared"])
    try:
        plugged, interface = _load(spec, answers)
    except BaseException as error:
        refuse(error, answers)
        return
    declared = plugged.declaration
    made = {
        "name": declared.name, "parameters": dict(declared.parameters), "idea": declared.idea,
        "python": declared.python, "values": declared.values,
    }  # fmt: skip
    step = Slots(None, interface).size
    channels = [Slots(memory, interface, step * number) for number in range(len(spec["channels"]))]
    lasts = [slots.lookahead(interface) if declared.values else slots.records[3] for slots in channels]
    _decide(plugged, channels[0], lasts[0], 0, 0)  # compiles the policy
    confine_files()
    say(made, answers)
    threads = [
        threading.Thread(target=_serve, args=(plugged, *channel), daemon=True)
        for channel in zip(channels, lasts, spec["channels"], strict=True)
    ]
    end_with_parent()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _serve(plugged: UserPolicy, slots: Slots, last: Any, descriptor: int) -> None:
    """Answer the requests on a channel until it is closed."""
    while len(request := os.read(descriptor, 16)) == 16:
        _decide(plugged, slots, last, *(int.from_bytes(request[at : at + 8], "little") for at in (0, 8)))
        if plugged.declaration.values:
            slots.values[:] = last["values"][0]
        os.write(descriptor, b".")


def _decide(plugged: UserPolicy, slots: Slots, last: Any, start: int, count: int) -> None:
    """Make decisions ``start`` to ``count``; if one raises, its index is -1 and the error message is stored.

    ``last``: the fifth record.
    """
    from wsim.jit import addresses_of

    address = addresses_of([plugged.call])[0]
    while True:
        try:
            serve(address, *slots.records, last, slots.index, slots.header, start, count)
        except Exception as error:
            start = int(slots.header[0])
            if start >= count:
                break
            slots.index[start], slots.header[0] = -1, start + 1
            slots.tell(f"{type(error).__name__}: {' '.join(str(error).split())}")
            start += 1
        else:
            break
    if (complaint := plugged.complaint("")) is not None:
        slots.tell(str(complaint).removeprefix("policy '' raised "))


if __name__ == "__main__":
    main()
