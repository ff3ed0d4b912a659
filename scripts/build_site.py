"""Build the documentation site, build/site/index.html, which opens from disk (`make docs`).

    python -m scripts.build_site
    python -m scripts.build_site --repository https://github.com/OWNER/NAME

Its pages are those of docs/ and others that stay where readers of the repository look for them, see `pages`. They are
copied into build/docs with their links rewritten, notebooks are converted with their outputs, and Zensical builds the
site as zensical.toml says. A link to a source file leads into --repository; without it, it becomes plain text.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import tyro

from blackjacky_agents.storage.files import write_file
from scripts.pages.part import DOCS
from scripts.results import ROOMS, ROOT

GATHERED, SITE = ROOT / "build" / "docs", ROOT / "build" / "site"
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:!\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\((?P<target>[^)\s]+)\)")
FOREIGN = re.compile(r"""(?:src=|<link[^>]*\shref=)["']?(?:https?:)?//[^"'>\s]*""")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Args:
    """Build the documentation site."""

    repository: str | None = None  # URL of the repository, for links to source files; without it they are plain text.


def main(args: Args) -> int:
    """Gather the pages and build the site; returns the exit status."""
    gather(GATHERED, args.repository)
    build = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    status = subprocess.run(build, cwd=ROOT, check=False).returncode
    if status:
        return status
    for page in sorted(SITE.rglob("*.html")):
        if found := FOREIGN.search(page.read_text(encoding="utf-8")):
            print(f"error: {page.relative_to(ROOT)} loads something from another site: {found[0]}", file=sys.stderr)
            return 1
    print(f"built: {(SITE / 'index.html').relative_to(ROOT).as_posix()}")
    return 0


def pages() -> dict[Path, str]:
    """The path of each page in the site, by its file."""
    found = {path: path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))}
    found |= {path: f"notebooks/{path.stem}.md" for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    found |= {ROOT / path: name for path, name in ELSEWHERE.items()}
    for game, room in ROOMS.items():
        tests = ROOT / "tests" / "games" / game
        found[room / "README.md"] = f"games/{game}.md"
        found[tests / "README.md"] = f"proofs/{game}.md"
        found[tests / "reference" / "README.md"] = f"proofs/{game}_reference.md"
    return found


ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "agents/blackjacky_agents/web/README.md": "web.md",
    "blackjacky_env/testing/README.md": "conformance.md",
    "scripts/README.md": "scripts.md",
    "tests/README.md": "tests.md",
    "tests/reference/README.md": "proofs/reference.md",
}
"""Pages outside docs/ that belong to no game, by path."""


def gather(folder: Path, repository: str | None = None) -> None:
    """Write all pages of the site, and the pictures that they show, into the folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS / "assets", folder / "assets")
    where = pages()
    for source, name in where.items():
        page = Page(source, name, where, repository)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        is_notebook = source.suffix == ".ipynb"
        text = notebook(page, folder) if is_notebook else page.with_links(source.read_text(encoding="utf-8"))
        write_file(folder / name, text)
        for picture, copy in page.shown.items():
            if not picture.is_file():
                raise ValueError(f"{source.relative_to(ROOT)} shows {picture.relative_to(ROOT)}, which does not exist")
            (folder / copy).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, folder / copy)


@dataclass
class Page:
    """A page on its way from the repository to the site."""

    source: Path
    name: str  # Path in the site.
    where: dict[Path, str]  # All pages: path in the site, by file.
    repository: str | None
    shown: dict[Path, str] = field(default_factory=dict)
    """Pictures that the page shows and their paths in the site, filled by `with_links`."""

    def with_links(self, text: str) -> str:
        """Markdown with the links that it needs in the site; code blocks stay as they are."""
        parts = FENCE.split(text)
        return "".join(part if number % 2 else LINK.sub(self._link, part) for number, part in enumerate(parts))

    def _link(self, match: re.Match[str]) -> str:
        text, target = LINK.sub(self._link, match["text"]), match["target"]
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return f"{match['image']}[{text}]({target})"
        address = self._address(Path(os.path.normpath(self.source.parent / path)), bool(match["image"]))
        return text if address is None else f"{match['image']}[{text}]({address}{'#' if anchor else ''}{anchor})"

    def _address(self, file: Path, image: bool) -> str | None:
        """The address of a file as seen from this page; None if it is not in the site."""
        inside, path = file.relative_to(ROOT).as_posix(), self.where.get(file)
        if path is None and (image or file.suffix in (".svg", ".png", ".webp")):
            path = self.shown[file] = f"files/{inside}"
        if path is not None:
            return Path(os.path.relpath(path, Path(self.name).parent)).as_posix()
        return f"{self.repository}/blob/main/{inside}" if self.repository else None


def notebook(page: Page, folder: Path) -> str:
    """A notebook as Markdown; pictures among its outputs are written beside its page."""
    parts = []
    read = nbformat.read(page.source, as_version=4)  # type: ignore[no-untyped-call]
    for number, cell in enumerate(read.cells):
        if cell.cell_type == "markdown":
            parts.append(page.with_links(cell.source))
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for place, output in enumerate(cell.outputs):
            parts.append(shown(output, (folder / page.name).with_name(f"{page.source.stem}-{number}-{place}")))
    return "\n\n".join(parts) + "\n"


def shown(output: Any, path: Path) -> str:
    """An output as Markdown; a picture becomes a file whose name begins as ``path``."""
    data = output.get("data", {})
    if "text/html" in data:
        return str(data["text/html"]).replace("\n", "&#10;")  # one line: Markdown looks for paragraphs in others
    for kind, suffix in (("image/svg+xml", ".svg"), ("image/png", ".png")):
        if kind in data:
            picture = path.with_suffix(suffix)
            picture.write_bytes(data[kind].encode() if suffix == ".svg" else base64.b64decode(data[kind]))
            return f"![Output of the cell above]({picture.name})"
    text = COLOUR.sub("", data.get("text/plain") or output.get("text", "")).rstrip()
    return f"```text\n{text}\n```"


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
