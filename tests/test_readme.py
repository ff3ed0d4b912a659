"""What the pages for readers say is true: their code runs, their links lead somewhere, their commands exist."""

import re
import tomllib
from pathlib import Path

import pytest

from blackjacky_env import __version__
from scripts import build_site

ROOT = Path(__file__).parents[1]
PAGES = ["agents/README.md", "results/README.md"]
PAGES += sorted(path.relative_to(ROOT).as_posix() for path in build_site.pages() if path.suffix == ".md")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = [
    pytest.param(page, code, id=f"{page}-{number}")
    for page in PAGES
    for number, (language, code) in enumerate(BLOCK.findall((ROOT / page).read_text(encoding="utf-8")))
    if language == "python"
]


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def anchors(text):
    """The names under which headings can be linked to."""
    headings = re.findall(r"^#+ (.*)", BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def leads_somewhere(target, page):
    path, _, anchor = target.partition("#")
    there = (ROOT / page).parent / path if path else ROOT / page
    return there.exists() and (not anchor or anchor in anchors(there.read_text(encoding="utf-8")))


def commands(text):
    """All that pages quote as code."""
    return [code for _, code in BLOCK.findall(text)] + re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))


@pytest.mark.prove
@pytest.mark.parametrize(("page", "code"), CODE)
def test_the_code_of_a_page_runs(page, code, capsys):
    exec(compile(code, page, "exec"), {"__name__": page})


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)\s]+)\)", read(page))
    broken = [target for target in targets if "://" not in target and not leads_somewhere(target, page)]
    assert broken == []


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_and_the_extras_that_it_installs_exist(page):
    named = "\n".join(commands(read(page)))
    targets = re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE)
    assert set(re.findall(r"\bmake ([a-z-]+)", named)) <= set(targets)
    scripts = re.findall(r"\bscripts/\w+\.py", named)
    modules = [f"{name.replace('.', '/')}" for name in re.findall(r"python -m (scripts\.[\w.]+)", named)]
    ends = [name if name.endswith(".py") else f"{name}.py" for name in scripts + modules]
    offered = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    assert {*",".join(re.findall(r"\.\[([\w,]+)\]", read(page))).split(",")} <= {"", *offered}
    assert [end for end in ends if not (ROOT / end).exists() and not (ROOT / end[:-3] / "__main__.py").exists()] == []


def test_the_installation_names_the_pinned_torch_and_readme_and_citation_file_the_version_and_a_year():
    assert re.search(r"^torch==\S+", read("constraints.txt"), re.MULTILINE)[0] in read("docs/install.md")
    cited, readme = read("CITATION.cff"), read("README.md")
    assert set(re.findall(r"^ *version: (\S+)$", cited, re.MULTILINE)) == {__version__}
    assert re.search(r"version = \{(\S+)\}", readme)[1] == __version__
    assert re.search(r"year = \{(\d{4})\}", readme)[1] == re.search(r"^ +year: (\d{4})$", cited, re.MULTILINE)[1]


def test_every_script_stands_on_the_page_of_the_scripts():
    folder, imported = ROOT / "scripts", ("golden.py", "peers.py", "results.py")
    scripts = [path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if path.name not in imported]
    parts = ("proofs/attacks/", "pages/")  # of one program each
    page = read("scripts/README.md")
    assert [name for name in scripts if f"]({name})" not in page and not name.startswith(parts)] == []
