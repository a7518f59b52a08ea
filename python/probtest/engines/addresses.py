"""Where another machine finds a test: what is sent to a cluster in place of a function.

An address holds texts only. Whoever reads it looks first whether it means the same there: the same
probtest, the same Python, the same files.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.machinery
import inspect
import itertools
import os
import platform
import socket
import sys
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import _native
from ..inputs import written
from ..saying import listed

if TYPE_CHECKING:
    import pytest

Address: TypeAlias = "dict[str, Any]"

#: Options of a pytest run that say how a body is read; the others are for the process that judges.
_READING = ("p", "epsilon", "tolerate", "false_alarm", "outcomes", "batch", "minp", "n", "pbug")
#: Variables that change how a test is found and read.
_VARIABLES = (
    *("PYTHONHASHSEED", "PYTHONWARNINGS", "PYTHONDONTWRITEBYTECODE"),
    *("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"),
    *(f"PROBTEST_{name.upper()}" for name in _READING),
)
#: How the same options of pytest itself are switched off in a process that executes one test.
_OFF = {"xdist": ["-n", "0"], "_cov": ["--no-cov"]}

_INSTALLED = ("site-packages", "dist-packages")
#: Identifies this process to workers, which cannot see whether it has gone on to another test.
_SESSION = uuid.uuid4().hex


def of_item(item: pytest.Function, seed: int) -> Address:
    """Return the address of a pytest item; wide fixtures are set up under the run seed."""
    config: Any = item.config
    root = config.rootpath
    file = Path(item.path)
    folders = [folder for folder in reversed(file.parents) if folder.is_relative_to(root)] or [root]
    conftests = [folder / "conftest.py" for folder in folders if (folder / "conftest.py").is_file()]
    found = _address("pytest", root, [file, *conftests])
    found |= {
        "file": _relative(root, file),
        "node": str(item.nodeid).partition("::")[2],
        "folder": _relative(root, Path(config.invocation_params.dir)),
        "ini": None if config.inipath is None else _relative(root, config.inipath),
        # What pytest remembers is about the whole run, and is written where that is.
        "remembers": config.pluginmanager.hasplugin("cacheprovider"),
        "options": [*_options(config), "--probtest-seed", f"{seed:#x}"],
    }
    return found


def of_body(
    body: Callable[[], object], name: str, run: _native.TestRun, infrastructure: object = None
) -> Address:
    """Return the address of a body of `probtest.check`: a function that its module has by its name."""
    module, qualname = _found(body, "the body")
    if not inspect.isfunction(body):
        raise _unfound("the body", body)
    loaded = sys.modules[module]
    path = getattr(loaded, "__file__", None)
    if path is None:
        raise _native.ClaimError(
            "another process cannot find the body, because its module has no file\n"
            f"  given  {module}.{qualname}\n"
            "  help   put the body in a file, and import it from there"
        )
    file = Path(path).resolve()
    # The script itself is found by its path; its name in the numbers stays that of the check.
    script = module == "__main__"
    depth = 0 if script else str(module).count(".") + (file.name == "__init__.py")
    root = file.parents[depth]
    address = _address("check", root, [file])
    address |= {
        "file": _relative(root, file),
        "folder": ".",
        "module": None if script else module,
        "qualname": qualname,
        "name": name,
        "seed": run.current[0].seed,
        "reading": _reading(run.claim),
        "batch": run.batch,
        "inputs": run.current[0].inputs,
        "infrastructure": [
            _found(kind, "an exception of infrastructure")
            for kind in ([] if infrastructure is None else listed(infrastructure))
        ],
    }
    return address


def _found(what: Any, called: str) -> tuple[str, str]:
    """Return the module and the name by which another process finds something."""
    own = written(what)
    module, qualname = getattr(own, "__module__", None) or "", getattr(own, "__qualname__", None) or ""
    if _by_name(sys.modules.get(module), qualname) is not what:
        raise _unfound(called, what)
    return module, qualname


def _by_name(module: Any, qualname: str) -> Any:
    with contextlib.suppress(AttributeError):
        return functools.reduce(getattr, qualname.split("."), module)
    return None


def _unfound(called: str, what: object) -> Exception:
    return _native.ClaimError(
        f"another process cannot find {called} by its name\n"
        f"  given  {what!r}\n"
        "  help   define it at the top level of a module: lambdas, nested functions, "
        "partials and bound methods cannot be imported by name"
    )


def _address(kind: str, root: Path, files: Iterable[Path]) -> Address:
    own = [entry for entry in sys.path if entry and not any(part in entry for part in _INSTALLED)]
    inside = [Path(entry) for entry in own if root == Path(entry) or root in Path(entry).parents]
    return {
        # One run of one test has processes of its own: its program may be another one by the next run.
        "run": uuid.uuid4().hex,
        "session": _SESSION,
        "kind": kind,
        "root": str(root),
        "path": [_relative(root, entry) for entry in inside],
        "probtest": _native.__version__,
        "python": platform.python_version(),
        "files": {_relative(root, file): digest(file) for file in files},
        "environment": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
        "machine": socket.gethostname(),
    }


def _relative(root: Path, path: Path) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")


def _reading(claim: _native.Claim) -> str:
    if claim.outcomes is not None:
        return "outcomes"
    if claim.kind == "fit":
        return "label"
    return "number" if claim.is_about_returned else "violations"


def _options(config: Any) -> list[str]:
    """Return the options of pytest's command line that matter to one test."""
    from ..pytest_plugin.lines import of_the_run

    words = of_the_run(config)
    given = [str(word) for word in config.invocation_params.args]
    for word, after in itertools.pairwise(given):
        if word == "-p" and after.startswith("no:"):
            words += [word, after]
    # What selects tests has done so; an empty one overrides that of a file.
    words += ["-k", "", "-m", ""]
    for name, off in _OFF.items():
        if config.pluginmanager.hasplugin(name):
            words += off
    flags = ("probtest", "probtest_vary_seeds")
    words += [f"--{name.replace('_', '-')}" for name in flags if config.getoption(name)]
    for name in _READING:
        value = config.getoption(f"probtest_{name}", None)
        if value:
            words += [f"--probtest-{name.replace('_', '-')}", value]
    return words


def root_here(address: Address) -> Path:
    """Return the folder of the project on this machine: the same path, else the working folder."""
    root = Path(address["root"])
    return root if (root / address["file"]).is_file() else Path.cwd()


def digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    except OSError:
        return "missing"


def difference(address: Address) -> str | None:
    """Say what an address means otherwise on this machine; None where nothing does."""
    here, root = socket.gethostname(), root_here(address)
    install, start = "install the same version on all workers", "start workers with the same version"
    copy = f"copy the same files to all workers; this one looked in {root}"
    compared = [
        ("a different version of probtest", address["probtest"], _native.__version__, install),
        ("a different version of Python", address["python"], platform.python_version(), start),
    ]
    for name, expected in address["files"].items():
        found = digest(root / name)
        which, found = ("no", "none") if found == "missing" else ("another", f"sha256 {found}")
        compared.append((f"{which} {name}", f"sha256 {expected}", found, copy))
    for what, there_is, here_is, help_ in compared:
        if there_is != here_is:
            test = "here" if address["machine"] == here else f"on {address['machine']}"
            worker = f"on the worker {here} (process {os.getpid()})"
            return f"the worker has {what}\n  given  {there_is} {test}, {here_is} {worker}\n  help   {help_}"
    return None


def load(address: Address) -> tuple[Callable[[], object], list[Any]]:
    """Return the body of a check, and the exceptions of its infrastructure."""
    root = root_here(address)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    if address["module"] is not None:
        module: Any = importlib.import_module(address["module"])
    else:
        # As any module that is imported: what is below `if __name__ == "__main__"` does not run.
        loader = importlib.machinery.SourceFileLoader("__probtest_main__", str(root / address["file"]))
        spec: Any = importlib.util.spec_from_loader(loader.name, loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[loader.name] = module
        loader.exec_module(module)
    kinds = [
        _by_name(module if name == "__main__" else importlib.import_module(name), qualname)
        for name, qualname in address["infrastructure"]
    ]
    return _by_name(module, address["qualname"]), kinds
