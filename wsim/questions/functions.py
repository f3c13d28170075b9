"""The Python functions of questions, such as ``wsim.whatif``, generated from their registrations."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator
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
threads: the number of threads. cluster: play on these workers instead: ``local:4`` or ``tcp://host:8786``.
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
        keys, arms = _with_field_names(question, keys)
        execution = Execution(**{name: keys.pop(name) for name in EXECUTION if name in keys})
        groups = question.taken(keys)
        for name in keys:
            if not question.plan or name in _keys_set_by(question):
                known = [key for key in signature.parameters if key != "plan"]
                verb, more = ("sets", " itself") if name in _keys_set_by(question) else ("has no option", "")
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


def _keyword_names(question: Question) -> tuple[dict[str, str], dict[str, str]]:
    """Map keywords to the option fields and to the plan keys whose names differ from their keywords.

    Keywords follow the command line: in a what-if, ``set`` is the change, and ``base_set`` is the plan's ``set``.
    """
    fields = {
        key_of(option.names[0]): name
        for group in question.option_groups
        for name, (_, option) in options_of(group).items()
        if option.names and key_of(option.names[0]) in question.plan_options
    }
    return fields, {key_of(option.names[0]): key for key, option in question.plan_options.items() if option.names}


def _with_field_names(question: Question, keys: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Rename keywords to option fields; return the renamed plan keys separately."""
    fields, plan = _keyword_names(question)
    for keyword, name in fields.items():
        if keyword in keys and name in keys:
            raise UserError(
                f"{question.function} got both {keyword} and {name}, which mean the same: use base_{keyword} for a "
                "value of all arms"
            )
    arms = {plan[keyword]: value for keyword, value in keys.items() if keyword in plan}
    return {fields.get(keyword, keyword): value for keyword, value in keys.items() if keyword not in plan}, arms


def _keys_set_by(question: Question) -> set[str]:
    """Return the plan keys that a question sets itself."""
    taken = {name for group in question.option_groups for name in options_of(group)}
    return set(options_of(Plan)) - set(question.plan) - taken if question.plan else set()


def _signature(question: Question) -> tuple[inspect.Signature, list[str]]:
    """Build the signature of a question's function, and a line of help per keyword."""
    plan_spelled = {key: keyword for keyword, key in _keyword_names(question)[1].items()}
    parameters, lines = dict[str, inspect.Parameter](), []
    for parameter, text in _parameters_of_groups(question):
        parameters.setdefault(parameter.name, parameter)
        lines.append(f"{parameter.name}: {text}")
    if question.plan and not any(each.kind is each.VAR_POSITIONAL for each in parameters.values()):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters["plan"] = inspect.Parameter("plan", kind, default=None, annotation="Plan | None")
    keywords = dict(EXECUTION)
    if question.plan:
        decided = _keys_set_by(question)
        spelled = {plan_spelled.get(key, key): annotation for key, annotation in plan_keys().items()}
        keywords |= {name: annotation for name, annotation in spelled.items() if name not in decided}
    for name, annotation in keywords.items():
        keyword = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        parameters.setdefault(name, keyword)
    ordered = sorted(parameters.values(), key=lambda each: (each.kind, _is_optional(each)))
    return inspect.Signature(ordered, return_annotation=question.answer.partition(":")[2]), lines


def _is_optional(parameter: inspect.Parameter) -> bool:
    by_position = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    return by_position and parameter.default is not parameter.empty


def _parameters_of_groups(question: Question) -> Iterator[tuple[inspect.Parameter, str]]:
    """Yield the function parameter of each option of a question, with its help."""
    spelled = {field: keyword for keyword, field in _keyword_names(question)[0].items()}
    kinds = inspect.Parameter
    for group in question.option_groups:
        for field, annotation, default, text in keywords_of(group):
            (declared, option), name = options_of(group)[field], spelled.get(field, field)
            if option.argument and str(declared.type).startswith("tuple"):
                yield kinds(name, kinds.VAR_POSITIONAL, annotation="str | Callable[..., int]"), text
            elif option.argument:
                given = kinds.empty if declared.default is MISSING or default == "" else default
                yield kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=given, annotation=annotation), text
            else:
                yield kinds(name, kinds.KEYWORD_ONLY, default=default, annotation=annotation), text
