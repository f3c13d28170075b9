"""One command for the inner loop: ``nox -s SESSION``; ``nox --list`` says what each does.

Sessions run in the environment that nox is called from; ``full`` makes a fresh one by itself. See CONTRIBUTING.md.
"""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["quick"]


@nox.session
def fix(session: nox.Session) -> None:
    """Put imports, form, simple mistakes and the types of the public functions right."""
    session.run("python", "-m", "tests.lab.test_public_types", external=True)
    session.run("ruff", "check", "--fix", ".", external=True)
    session.run("ruff", "format", ".", external=True)


@nox.session
def quick(session: nox.Session) -> None:
    """Lint, types and the quick tier of the tests."""
    session.run("ruff", "check", ".", external=True)
    session.run("ruff", "format", "--check", ".", external=True)
    session.run("mypy", external=True)
    session.run("python", "-m", "pytest", *session.posargs, external=True)


@nox.session
def full(session: nox.Session) -> None:
    """Everything that must hold before a change lands, from a fresh environment."""
    session.run(".ci/run", external=True)


@nox.session
def pages(session: nox.Session) -> None:
    """Write what the commands of the pages print into the pages, and build the site strictly."""
    renew = {"WSIM_RENEW_PAGES": "1"}
    session.run(
        "python", "-m", "pytest", "-m", "", "tests/docs/test_pages.py", *session.posargs, env=renew, external=True
    )
    session.run("mkdocs", "build", "--strict", external=True)


@nox.session
def screens(session: nox.Session) -> None:
    """Make the pictures of the workbench anew."""
    session.run("python", "-m", "tests.workbench.screens", "docs/images", external=True)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure."""
    session.run("python", "-m", "pytest", "-m", "", "-n", "0", "benchmarks", *session.posargs, external=True)


@nox.session
def mutants(session: nox.Session) -> None:
    """Plant faults at random and report which no test notices; the arguments go to ``python -m tests.mutants``."""
    session.run("python", "-m", "tests.mutants", *session.posargs, external=True)


@nox.session(venv_backend="venv")
def release(session: nox.Session) -> None:
    """Check, build and tag the release that the arguments name: ``nox -s release -- 0.3.0``."""
    if len(session.posargs) != 1:
        session.error("name the version: nox -s release -- 0.3.0")
    (version,) = session.posargs
    session.run("python", "-m", "tests.release", version)
    if session.run("git", "status", "--porcelain", silent=True, external=True):
        session.error("the checkout has uncommitted changes: a release is a commit")
    if session.run("git", "tag", "--list", f"v{version}", silent=True, external=True):
        session.error(f"v{version} is already tagged: a release never changes")
    session.run(".ci/run", external=True)
    session.install("build")
    session.run("python", "-m", "build", "--outdir", "dist")
    session.run("git", "tag", "--annotate", f"v{version}", "--message", f"wsim {version}", external=True)
    session.log(f"dist/ holds wsim {version}; push the tag v{version} with its commit")
