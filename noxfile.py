"""One command for each development task: ``nox -s SESSION``; ``nox --list`` lists them.

Sessions run in the environment from which nox is called; ``full`` creates a fresh one. See CONTRIBUTING.md.
"""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["quick"]


@nox.session
def fix(session: nox.Session) -> None:
    """Fix imports, formatting and simple mistakes, and regenerate the types of the public functions."""
    session.run("python", "-m", "tests.lab.test_public_types", external=True)
    session.run("ruff", "check", "--fix", ".", external=True)
    session.run("ruff", "format", ".", external=True)


@nox.session
def quick(session: nox.Session) -> None:
    """Run lint, types and the quick tier of the tests."""
    session.run("ruff", "check", ".", external=True)
    session.run("ruff", "format", "--check", ".", external=True)
    session.run("mypy", external=True)
    session.run("python", "-m", "pytest", *session.posargs, external=True)


@nox.session
def full(session: nox.Session) -> None:
    """Run what must pass before a change lands, in a fresh environment; ``-- all``: all slow tests and every Python."""
    session.run(".ci/run", *session.posargs, external=True)


@nox.session
def pages(session: nox.Session) -> None:
    """Update the command output shown on the pages; build the site in strict mode."""
    renew = {"WSIM_RENEW_PAGES": "1"}
    session.run(
        "python", "-m", "pytest", "-m", "", "tests/docs/test_pages.py", *session.posargs, env=renew, external=True
    )
    session.run("mkdocs", "build", "--strict", external=True)


@nox.session
def screens(session: nox.Session) -> None:
    """Regenerate the pictures of the workbench, or only those named as arguments."""
    session.run("python", "-m", "tests.workbench.screens", "docs/images", *session.posargs, external=True)


@nox.session
def bench(session: nox.Session) -> None:
    """Run the benchmarks."""
    session.run("python", "-m", "pytest", "-m", "", "-n", "0", "benchmarks", *session.posargs, external=True)


@nox.session
def mutants(session: nox.Session) -> None:
    """Plant random faults and report those that no test detects; arguments go to ``python -m tests.mutants``."""
    session.run("python", "-m", "tests.mutants", *session.posargs, external=True)


@nox.session(venv_backend="venv")
def release(session: nox.Session) -> None:
    """Check, build and tag a release: ``nox -s release -- 0.3.0``."""
    if len(session.posargs) != 1:
        session.error("give one version: nox -s release -- 0.3.0")
    (version,) = session.posargs
    session.run("python", "-m", "tests.release", version)
    if session.run("git", "status", "--porcelain", silent=True, external=True):
        session.error("the checkout has uncommitted changes: commit them first")
    if session.run("git", "tag", "--list", f"v{version}", silent=True, external=True):
        session.error(f"v{version} is already tagged: choose a new version")
    session.run(".ci/run", "all", external=True)
    session.install("build")
    session.run("python", "-m", "build", "--outdir", "dist")
    session.run("git", "tag", "--annotate", f"v{version}", "--message", f"wsim {version}", external=True)
    session.log(f"dist/ contains wsim {version}: push the commit and the tag v{version}, and upload dist/")
