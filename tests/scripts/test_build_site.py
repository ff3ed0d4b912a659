"""scripts/build_site.py: pages from all over the repository, with links that work in the site."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts import build_site
from scripts.build_site import ROOT, Page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages as Zensical gets them."""
    folder = tmp_path_factory.mktemp("site") / "docs"
    build_site.gather(folder)
    return folder


def page(name: str = "proofs/here.md", repository: str | None = None) -> Page:
    return Page(ROOT / "docs" / "here.md", name, {ROOT / "docs" / "there.md": "there.md"}, repository)


def in_nav(entries: list[dict[str, Any]]) -> Iterator[str]:
    for entry in entries:
        for target in entry.values():
            yield from [target] if isinstance(target, str) else in_nav(target)


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    assert sorted(in_nav(navigation)) == sorted(build_site.pages().values())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](there.md#part), [b](#own), [c](https://a.b/c)", "[a](../there.md#part), [b](#own), [c](https://a.b/c)"),
        ("see [the\nbuilder](../scripts/x.py) and [y](y)", "see the\nbuilder and y"),
        ("[![p](../a/p.svg)](there.md)", "[![p](../files/a/p.svg)](../there.md)"),
        ("```python\nplay[0](there.md)\n```", "```python\nplay[0](there.md)\n```"),
    ],
    ids=["pages have their places in the site", "source files are text", "pictures come along", "code stays"],
)
def test_links_work_in_the_site(text: str, shown: str) -> None:
    here = page()
    assert here.with_links(text) == shown
    assert here.shown == ({ROOT / "a" / "p.svg": "files/a/p.svg"} if "svg" in text else {})
    linked = page(repository="https://a.b/c").with_links("[x](../scripts/x.py)")
    assert linked == "[x](https://a.b/c/blob/main/scripts/x.py)"


def test_everything_that_the_pages_of_the_site_link_to_is_there(site: Path) -> None:
    for path in site.rglob("*.md"):
        text = build_site.FENCE.sub("", path.read_text("utf-8"))
        for match in build_site.LINK.finditer(text):
            target = match["target"].partition("#")[0]
            if target and "://" not in target:
                assert (path.parent / target).exists(), f"{path.relative_to(site)}: {target}"
