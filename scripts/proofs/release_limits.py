"""Compare built packages with the limits of pyproject.toml: sizes, and which extras pull in torch or GPU packages.

    python scripts/proofs/release_limits.py dist     a folder with one wheel and one sdist

What an extra pulls in is followed through the packages installed here, so that nothing is downloaded; those that are
missing are passed over, except for the base installation. `rehearse_release.py` installs every extra and compares, too.
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, PathDistribution, distribution
from pathlib import Path, PurePosixPath
from typing import Any

import tyro
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LAST = ROOT / "docs" / "release.json"
"""Results of the last rehearsal."""
GPU = re.compile(r"nvidia-|cuda-|numba-cuda$|triton$|cupy|jax-cuda")
"""How the names of packages for GPUs begin."""
BASE = "none"
"""Name of the installation without extras."""


@dataclass(frozen=True)
class Args:
    """Compare built packages with the limits of pyproject.toml."""

    dist: tyro.conf.Positional[Path]
    """Folder with one wheel and one sdist."""


@dataclass(frozen=True)
class Limits:
    """The table [tool.blackjacky.release] of pyproject.toml."""

    wheel_bytes: int
    sdist_bytes: int
    base_megabytes: int
    """Of everything that an installation without extras has, unpacked."""
    torch: tuple[str, ...]
    """Extras that may pull in torch, and the GPU packages that come with it."""
    gpu: tuple[str, ...]
    """Extras that may pull in GPU packages without torch."""


def main(args: Args) -> int:
    """Print what is over a limit; returns the exit status."""
    (wheel,), (sdist,) = args.dist.glob("*.whl"), args.dist.glob("*.tar.gz")
    limits = read_limits((ROOT / "pyproject.toml").read_text("utf-8"))
    last, ours = last_rehearsal(), open_wheel(wheel)
    found = list(archive_problems(limits, wheel, sdist, last))
    for extra in (BASE, *ours.metadata.get_all("Provides-Extra")):
        packages, missing = pulled_in(ours, extra)
        found += extra_problems(limits, extra, packages)
        if extra == BASE:
            if missing:
                raise SystemExit(f"error: not installed here, so not measured: {', '.join(sorted(missing))}")
            sizes = {name: size(each) for name, each in packages.items()}
            sizes[canonicalize_name(ours.name)] = sum(bytes_of_files(wheel).values())
            found += base_problems(limits, sizes, last)
    print("\n".join(found) or f"within the limits: {wheel.stat().st_size:,} and {sdist.stat().st_size:,} bytes")
    return int(bool(found))


def last_rehearsal() -> dict[str, Any]:
    """The results of the last rehearsal; empty if there was none."""
    return json.loads(LAST.read_text("utf-8")) if LAST.exists() else {}


def read_limits(pyproject: str) -> Limits:
    """The limits in the text of pyproject.toml; `ValueError` names an extra that does not exist."""
    document = tomllib.loads(pyproject)
    table = document["tool"]["blackjacky"]["release"]
    limits = Limits(**{name: tuple(each) if isinstance(each, list) else each for name, each in table.items()})
    if unknown := {*limits.torch, *limits.gpu} - set(document["project"]["optional-dependencies"]):
        raise ValueError(f"[tool.blackjacky.release] of pyproject.toml names unknown extras: {sorted(unknown)}")
    return limits


# ---------------------------------------------------------------- what is over a limit


def archive_problems(limits: Limits, wheel: Path, sdist: Path, last: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each archive that is too large, with the folders that have grown since the last rehearsal."""
    for kind, path, limit in (("wheel", wheel, limits.wheel_bytes), ("sdist", sdist, limits.sdist_bytes)):
        before = last.get("archives", {}).get(kind, {}).get("folders", {})
        yield from too_large(f"the {kind}", path.stat().st_size, limit, f"{kind}_bytes", folders(path), before)


def base_problems(limits: Limits, sizes: Mapping[str, int], last: Mapping[str, Any]) -> Iterator[str]:
    """A sentence if the base installation is too large, with the packages that have grown since the last rehearsal."""
    before = last.get("environments", {}).get(BASE, {}).get("sizes", {})
    limit = limits.base_megabytes * 1_000_000
    yield from too_large("the base installation", sum(sizes.values()), limit, "base_megabytes", sizes, before)


def too_large(
    what: str, size: int, limit: int, option: str, now: Mapping[str, int], before: Mapping[str, int]
) -> Iterator[str]:
    """The sentence for something that is over its limit, in bytes."""
    if size <= limit:
        return
    grown = Counter(now) - Counter(before)
    parts = ", ".join(f"{name} {by:+,}" for name, by in grown.most_common(5))
    since = "in all" if not before else "since the last rehearsal"
    yield (
        f"{what} has {size:,} bytes, its limit is {limit:,}; {since}: {parts or 'no part has grown'}. Leave out what "
        f"users do not need, or raise {option} in [tool.blackjacky.release] of pyproject.toml and say why in the commit"
    )


def extra_problems(limits: Limits, extra: str, packages: Iterable[str]) -> Iterator[str]:
    """A sentence if an extra pulls in torch or GPU packages and is not one that may."""
    names = set(packages)
    gpu = sorted(name for name in names if GPU.match(name))
    for option, allowed, unasked in (
        ("torch", limits.torch, ["torch"] if "torch" in names else []),
        ("gpu", limits.gpu, gpu if "torch" not in names else []),
    ):
        if unasked and extra not in allowed:
            yield (
                f"extra {extra} pulls in {', '.join(unasked)}: leave out what asks for it (see `pip show`), "
                f"or add {extra} to {option} in [tool.blackjacky.release] of pyproject.toml"
            )


# ---------------------------------------------------------------- what there is


def open_wheel(wheel: Path) -> Distribution:
    """The metadata of a wheel that is not installed."""
    name, version = wheel.name.split("-")[:2]
    return PathDistribution(zipfile.Path(wheel, f"{name}-{version}.dist-info/"))


def pulled_in(ours: Distribution, extra: str) -> tuple[dict[str, Distribution], set[str]]:
    """What an extra pulls in, by name, and the names of what is not installed here."""
    packages: dict[str, Distribution] = {}
    missing: set[str] = set()
    todo, seen = [(ours, "" if extra == BASE else extra)], set()
    while todo:
        package, of = todo.pop()
        for needed in map(Requirement, package.requires or ()):
            if needed.marker and not needed.marker.evaluate({"extra": of}):
                continue
            name = canonicalize_name(needed.name)
            try:
                found = ours if name == canonicalize_name(ours.name) else distribution(name)
            except PackageNotFoundError:
                missing.add(name)
                continue
            if found is not ours:
                packages[name] = found
            new = {(name, each) for each in ("", *needed.extras)} - seen
            seen |= new
            todo += [(found, each) for _, each in new]
    return packages, missing


def size(package: Distribution) -> int:
    """Bytes of an installed package."""
    paths = (Path(str(file.locate())) for file in package.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())


def folders(archive: Path) -> dict[str, int]:
    """Bytes of a wheel's or sdist's files, unpacked, by folder and subfolder."""
    total: Counter[str] = Counter()
    for name, length in bytes_of_files(archive).items():
        total["/".join(PurePosixPath(name).parts[:-1][:2]) or "."] += length
    return dict(sorted(total.items()))


def bytes_of_files(archive: Path) -> dict[str, int]:
    """Bytes of a wheel's or sdist's files by name; without the sdist's outermost folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as file:
            return {info.filename: info.file_size for info in file.infolist()}
    with tarfile.open(archive) as file:
        return {info.name.partition("/")[2]: info.size for info in file if info.isfile()}


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
