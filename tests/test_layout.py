"""Where things may stand: who imports whom, and who names a game."""

import ast
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from blackjacky_env.games import GAMES

ROOT = Path(__file__).parents[1]
ENV, AGENTS, SCRIPTS = ROOT / "blackjacky_env", ROOT / "agents" / "blackjacky_agents", ROOT / "scripts"
OURS = [name for name, registered in GAMES.items() if registered.target.startswith("blackjacky_env.")]
SHARED_BY_ROOMS = ("declare", "compiled", "draw", "games.trick_taking", "games.unseen")
TEXT = {".py", ".js", ".html", ".css", ".toml", ".ipynb", ".txt", ".sh"}


def files_of(*folders):
    """The files of folders that are not in a game's room."""
    rooms = [side / "games" / name for side in (ENV, AGENTS) for name in OURS]
    found = (path for folder in folders for path in sorted(folder.rglob("*")))
    return [path for path in found if path.is_file() and not any(path.is_relative_to(room) for room in rooms)]


def full_name(path):
    place = path.relative_to(AGENTS.parent if path.is_relative_to(AGENTS) else ROOT).with_suffix("")
    return ".".join(place.parts).removesuffix(".__init__")


class WithoutTypes(ast.NodeTransformer):
    """Removes what is imported for type checkers alone."""

    def visit_If(self, node):
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)


def imported(path, for_types=True):
    """The full names of the modules that a file imports, wherever in it."""
    package = path.relative_to(AGENTS.parent if path.is_relative_to(AGENTS) else ROOT).parent.parts
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree if for_types else WithoutTypes().visit(tree)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*start, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_few_files_outside_the_rooms_name_a_game():
    """The registries, and generic modules whose docstring has a runnable example."""
    names = re.compile("|".join(OURS))
    naming = [
        path.relative_to(ROOT)
        for path in files_of(ENV, AGENTS, SCRIPTS)
        if path.suffix in TEXT and names.search(path.read_text(encoding="utf-8"))
    ]
    assert len(naming) <= 8, "\n".join(map(str, naming))


ALLOWED = [
    (ENV, ("",)),
    (ENV / "draw", ("draw", "checks")),
    (ENV / "declare", ("declare", "draw", "checks")),
    (ENV / "compiled", ("compiled", "declare", "checks", "reading")),
    (ENV / "play", ("play", "declare", "compiled", "checks", "reading")),
    *((ENV / "games" / game, (*SHARED_BY_ROOMS, f"games.{game}")) for game in OURS),
]
"""Folders of environments, and what they may import of the package: no agents, and no room but a room itself."""


@pytest.mark.parametrize(("folder", "packages"), ALLOWED)
def test_environments_import_no_agents_and_each_folder_only_what_lies_below_it(folder, packages):
    allowed = tuple(f"blackjacky_env.{package}.".replace("..", ".") for package in packages)
    for path in sorted(folder.rglob("*.py")):
        types = folder == ENV
        ours = {name for name in imported(path, types) if name.split(".")[0] in {"blackjacky_env", "blackjacky_agents"}}
        assert {name for name in ours if not f"{name}.".startswith(allowed)} == set(), path


@pytest.mark.parametrize("folder", [ENV / "declare", ENV / "draw"])
def test_what_a_game_declares_needs_no_numba(folder):
    for path in folder.rglob("*.py"):
        assert not [name for name in imported(path) if name.split(".")[0] == "numba"], path


@pytest.mark.parametrize("game", OURS)
def test_every_rule_on_a_games_page_has_a_test_that_cites_its_number(game):
    rules = re.findall(r"^- \*\*([A-Z]\d+)", (ENV / "games" / game / "README.md").read_text("utf-8"), re.MULTILINE)
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests" / "games" / game).glob("test_*.py"))
    cited = {number.upper() for number in re.findall(r"(?<![a-z0-9])[a-z]\d+(?![a-z0-9])", tests, re.IGNORECASE)}
    assert rules
    assert set(rules) <= cited


def test_no_module_imports_one_that_imports_it_back():
    """Neither at its top nor inside functions. What is imported for type checkers alone counts but in datasets.

    The registry of agents' rooms counts as importing them, so that nothing a room is made of asks for a room.
    """
    paths = {full_name(path): path for side in (ENV, AGENTS) for path in side.rglob("*.py")}
    typed = {module for module in paths if ".data." not in module}
    names = {module: set(imported(path, module in typed)) for module, path in paths.items()}
    names["blackjacky_agents.games"] |= {f"blackjacky_agents.games.{name}" for name in OURS}
    found = {module: {name if name in paths else name.rpartition(".")[0] for name in names[module]} for module in paths}
    order = TopologicalSorter({module: own & paths.keys() - {module} for module, own in found.items()})
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


@pytest.mark.parametrize("side", [ENV, AGENTS])
def test_nothing_but_the_registry_and_a_room_imports_a_room(side):
    """And no room of agents one of another game."""
    rooms = re.compile(rf"blackjacky_(env|agents)\.games\.({'|'.join(OURS)})\b")
    outside = files_of(side)
    for path in side.rglob("*.py"):
        room = "" if path in outside else path.relative_to(side / "games").parts[0]
        named = {found[2] for name in imported(path) if (found := rooms.match(name))}
        assert named <= {room}, path


def test_importing_the_environments_loads_no_room():
    code = "import blackjacky_env, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in loaded if name.removeprefix("blackjacky_env.games.") in OURS] == []


NAMED = {"compiled", "compiled.purposes", "compiled.random", "declare", "draw", "envs", "play", "replay"}
NAMED |= {"play.gpu", "play.kernels"}


def test_agents_import_the_named_packages_of_the_environments_and_nothing_under_them():
    inside = re.compile(rf"blackjacky_env\.(({'|'.join(sorted(NAMED))})\.\w+)")
    for path in AGENTS.rglob("*.py"):
        named = {found[1] for name in imported(path) if (found := inside.match(name))}
        modules = {name for name in named if (ENV / name.replace(".", "/")).with_suffix(".py").exists()}
        assert modules <= NAMED, path


DIRECTION = [
    "storage",
    "bots",
    "kit",
    "games",
    "networks",
    "search",
    "external",
    "arena",
    "solving",
    "learning",
    "benchmark",
    "data",
]
DIRECTION += ["web", "language", "cli"]
"""Folders of agents; each imports those before it alone. Modules beside them belong to none."""


def test_folders_of_agents_import_those_before_them_and_no_room_the_registry():
    assert {path.name for path in AGENTS.iterdir() if path.is_dir() and list(path.glob("*.py"))} == set(DIRECTION)
    folder = re.compile(rf"blackjacky_agents\.({'|'.join(DIRECTION)})\b")
    for path in AGENTS.rglob("*.py"):
        own = path.relative_to(AGENTS).parts[0]
        before = DIRECTION[: DIRECTION.index(own) + 1] if own in DIRECTION else DIRECTION
        assert {found[1] for name in imported(path) if (found := folder.match(name))} <= set(before), path
