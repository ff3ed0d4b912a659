"""Build a release, check it against the limits of pyproject.toml, and try it in an empty environment (`make release`).

    python -m scripts.proofs.release [FOLDER]    wheel and sdist of this tree, in dist by default

Wheel and sdist must hold every file that belongs there and no other, and the wheel must have the same bytes whether it
is built from the sdist or from the tree. Limits are those of [tool.blackjacky.release].
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PINNED = ("-c", ROOT / "constraints.txt")
PACKAGES = ("blackjacky_env/", "agents/blackjacky_agents/")
GPU = r"nvidia-|cuda-|numba-cuda$|triton$|cupy|jax-cuda"
COMMANDS = (
    "--help",
    "evaluate --agents random,counter --games 50",
    "score counter --games 12",
    "solve --table mini-1",
    "tournament --agents random,counter --players 2 --games 40",
    "watch --agents random,counter --seed 1 --output game.html",
    "play --opponents random --seed 1",
    "train --name tiny --minutes 0.05 --eval-games 2 --final-eval-games 2",
    "evaluate --agents ppo:runs/tiny,random --games 50",
)
"""What the installed `blackjacky` is asked to do, in an empty folder."""


def main(out: Path) -> int:
    """Build, check and try; returns the exit status, 1 if a file is missing or something is over its limit."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    limits, extras = project["tool"]["blackjacky"]["release"], project["project"]["optional-dependencies"]
    with tempfile.TemporaryDirectory() as folder:
        wheel, sdist = build(out, Path(folder))
        sizes = {"wheel_bytes": wheel.stat().st_size, "sdist_bytes": sdist.stat().st_size}
        found = [*wrong_contents(wheel, sdist), *unasked(wheel, extras, limits)]
        sizes["base_megabytes"] = try_out(wheel, Path(folder)) // 1_000_000
    found += [
        f"{name}: {size:,} are more than {limits[name]:,}; leave something out, or raise the limit in pyproject.toml"
        for name, size in sizes.items()
        if size > limits[name]
    ]
    print("\n".join(found) or f"within the limits: {sizes}")
    return int(bool(found))


def run(*command: str | Path, **options: Any) -> str:
    """Run a command; returns its output, or ends with that if it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))} failed\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def build(out: Path, folder: Path) -> tuple[Path, Path]:
    """Build the sdist, the wheel from it, and the wheel once more from the tree, which must have the same bytes."""
    for old in (*out.glob("*.whl"), *out.glob("*.tar.gz")):
        old.unlink()
    dated = {**os.environ, "SOURCE_DATE_EPOCH": run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()}
    command = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
    run(*command, out, ROOT, env=dated)
    run(*command, folder, "--wheel", ROOT, env=dated)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    if wheel.read_bytes() != (folder / wheel.name).read_bytes():
        sys.exit("error: the wheel built from the tree is another than the one built from the sdist")
    return wheel, sdist


def wrong_contents(wheel: Path, sdist: Path) -> Iterator[str]:
    """Files that wheel or sdist lack or have too many, compared with those that git knows."""
    tracked = {name for name in run("git", "ls-files", "-z", cwd=ROOT).split("\0") if name and (ROOT / name).exists()}
    with zipfile.ZipFile(wheel) as file, tarfile.open(sdist) as tar:
        has = {name for name in file.namelist() if ".dist-info/" not in name}
        packed = {each.name.partition("/")[2] for each in tar if each.isfile()} - {"PKG-INFO", ".gitignore"}
    packages = {name.removeprefix("agents/") for name in tracked if name.startswith(PACKAGES)}
    visible = {name for name in tracked if not name.startswith(".")}
    yield from (f"the wheel lacks or should not have {name}" for name in sorted(has ^ packages))
    yield from (f"the sdist lacks or should not have {name}" for name in sorted(packed ^ visible))


def unasked(wheel: Path, extras: Iterable[str], limits: Mapping[str, Any]) -> Iterator[str]:
    """Packages of torch or for GPUs that pip would install for extras that may not pull them in."""
    torch, gpu = set(limits["torch"]), set(limits["gpu"])
    for few, pattern in (({*extras} - torch - gpu, f"torch$|{GPU}"), (gpu - torch, "torch$")):
        options = ("--quiet", "--dry-run", "--ignore-installed", "--report", "-", *PINNED)
        report = run(sys.executable, "-m", "pip", "install", *options, f"{wheel}[{','.join(sorted(few))}]")
        names = sorted(each["metadata"]["name"].lower().replace("_", "-") for each in json.loads(report)["install"])
        yield from (f"an extra of {sorted(few)} pulls in {name}" for name in names if re.match(pattern, name))


def try_out(wheel: Path, folder: Path) -> int:
    """Install the wheel alone, then with `train`, and run its command; returns the bytes of the first installation."""
    place, empty = folder / "environment", folder / "empty"
    empty.mkdir()
    run(sys.executable, "-m", "venv", "--without-pip", place)
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    pip = (sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet", "--no-compile", *PINNED)
    run(*pip, wheel, env=clean)
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file() and not path.is_symlink())
    run(*pip, f"{wheel}[train]", env=clean)
    for command in COMMANDS:
        print(f"blackjacky {command}", flush=True)
        run(programs / "blackjacky", *command.split(), cwd=empty, env=clean)
    return size


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "dist"))
