"""The Python functions of questions, such as ``wsim.whatif``, made from the registrations."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.lab.execution import Execution
from wsim.lab.keys import plan_keys, resolve_plan
from wsim.lab.plan import Plan
from wsim.options import key_of, keywords_of, options_of
from wsim.questions.registry import Question, questions

if TYPE_CHECKING:
    from wsim.lab.answer import Answer

EXECUTION = {"threads": "int | None", "cluster": "str | None", "progress": "Progress | None"}
_ABOUT = """
Parameters
----------
threads: the number of threads. cluster: play on these workers instead, ``local:4`` or ``tcp://host:8786``.
progress: called with the name of the task, the units done, and their total.

Raises UserError for an invalid question, Interrupted on Ctrl-C with the answer so far.
"""


def function_called(name: str) -> Callable[..., Answer] | None:
    """Return the Python function with this name; None if no question has it."""
    for question in questions():
        if name == question.function or name in question.aliases:
            return function_of(question)
    return None


def function_of(question: Question) -> Callable[..., Answer]:
    """Return the Python function of a question, with its keywords and their help."""
    signature, lines = _signature(question)
    by_position = [
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    several = next((each.name for each in signature.parameters.values() if each.kind is each.VAR_POSITIONAL), None)

    def function(*words: Any, **keys: Any) -> Answer:
        plan = next((word for word in words if isinstance(word, Plan)), None) if question.plan else None
        given = [word for word in words if plan is None or word is not plan]
        if several is not None:
            keys = {several: tuple(given), **keys} if given or several not in keys else keys
        elif len(given) > len(by_position):
            raise UserError(f"{function.__name__} takes no argument {given[len(by_position)]!r}")
        else:
            keys = {**dict(zip(by_position, given, strict=False)), **keys}
        keys, arms = _renamed(question, keys)
        execution = Execution(**{name: keys.pop(name) for name in EXECUTION if name in keys})
        groups = question.taken(keys)
        for name in keys:
            if not question.plan or name in _decided(question):
                known = [key for key in signature.parameters if key != "plan"]
                verb, more = ("sets", " itself") if name in _decided(question) else ("has no option", "")
                raise UserError(f"{function.__name__} {verb} {name!r}{more}{nearest(name, known)}")
        if not question.plan:
            return question.answered(None, groups, execution)
        defaults = {} if question.games is None else {"games": question.games}
        return question.answered(resolve_plan(plan, {**keys, **arms}, **defaults), groups, execution)

    function.__name__ = function.__qualname__ = question.function
    function.__module__ = f"{question.package}.{question.answer.partition(':')[0]}"
    function.__signature__ = signature  # type: ignore[attr-defined]
    options = f"Options\n-------\n{chr(10).join(lines)}\n"
    function.__doc__ = textwrap.indent(f"{question.about}\n{_ABOUT}\n{options}", "    ").strip() + "\n    "
    return function


def _spelled(question: Question) -> tuple[dict[str, str], dict[str, str]]:
    """Return the fields of its groups and the keys of the plan whose keyword differs from their name, by keyword.

    Keywords follow the command line: in a what-if, ``set`` is the change, and ``base_set`` is ``set`` of the plan.
    """
    fields = {
        key_of(option.names[0]): name
        for group in question.option_groups
        for name, (_, option) in options_of(group).items()
        if option.names and key_of(option.names[0]) in question.plan_options
    }
    return fields, {key_of(option.names[0]): key for key, option in question.plan_options.items() if option.names}


def _renamed(question: Question, keys: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the keywords by field of a group, and separately the renamed ones of the plan."""
    fields, plan = _spelled(question)
    for keyword, name in fields.items():
        if keyword in keys and name in keys:
            raise UserError(
                f"{question.function} got both {keyword} and {name}, which mean the same: use base_{keyword} for a "
                "value of all arms"
            )
    arms = {plan[keyword]: value for keyword, value in keys.items() if keyword in plan}
    return {fields.get(keyword, keyword): value for keyword, value in keys.items() if keyword not in plan}, arms


def _decided(question: Question) -> set[str]:
    """Return the keys of a plan that a question sets itself."""
    taken = {name for group in question.option_groups for name in options_of(group)}
    return set(options_of(Plan)) - set(question.plan) - taken if question.plan else set()


def _signature(question: Question) -> tuple[inspect.Signature, list[str]]:
    """Return the signature of the function of a question, and a line of help per keyword."""
    kinds = inspect.Parameter
    fields_spelled, plan_spelled = ({name: keyword for keyword, name in names.items()} for names in _spelled(question))
    first: list[inspect.Parameter] = []
    later: dict[str, inspect.Parameter] = {}
    lines = []
    for group in question.option_groups:
        fields = options_of(group)
        for name, annotation, default, text in keywords_of(group):
            option_field, option = fields[name]
            name = fields_spelled.get(name, name)
            lines += [f"{name}: {text}"]
            if option.argument and str(option_field.type).startswith("tuple"):
                first.append(kinds(name, kinds.VAR_POSITIONAL, annotation="str | Callable[..., int]"))
            elif option.argument:
                empty = option_field.default is MISSING or default == ""
                given = kinds.empty if empty else default
                first.append(kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=given, annotation=annotation))
            elif name not in later:
                later[name] = kinds(name, kinds.KEYWORD_ONLY, default=default, annotation=annotation)
    first.sort(key=lambda parameter: parameter.default is not kinds.empty)
    several = any(parameter.kind is kinds.VAR_POSITIONAL for parameter in first)
    if question.plan and not several:
        first.append(kinds("plan", kinds.POSITIONAL_OR_KEYWORD, default=None, annotation="Plan | None"))
    for name, annotation in EXECUTION.items():
        later[name] = kinds(name, kinds.KEYWORD_ONLY, default=None, annotation=annotation)
    if question.plan:
        decided = _decided(question)
        for key, annotation in plan_keys().items():
            name = plan_spelled.get(key, key)
            if name not in later and name not in decided and all(name != parameter.name for parameter in first):
                later[name] = kinds(name, kinds.KEYWORD_ONLY, default=None, annotation=annotation)
    returned = question.answer.partition(":")[2]
    return inspect.Signature([*first, *later.values()], return_annotation=returned), lines
