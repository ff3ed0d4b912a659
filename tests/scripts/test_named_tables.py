"""Tables with a name on the command line."""

import re

import pytest

from blackjacky_agents.arena.protocol import find_protocol
from blackjacky_agents.cli import dataset, evaluate, exploit, play, score, tournament, watch
from blackjacky_agents.cli.arguments import read_arguments
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game

OTHERS = {
    dataset: ["--agents", "random"],
    evaluate: ["--agents", "random"],
    exploit: [],
    play: [],
    score: ["random"],
    tournament: [],
    watch: ["--agents", "random"],
}
"""By subcommand: what has to be given, too."""
TABLES = [(game, name) for game in GAMES for name in get_game(game).tables]


@pytest.mark.parametrize("command", OTHERS, ids=lambda command: command.__name__.rpartition(".")[2])
def test_every_command_has_the_variant_and_the_rules_of_a_named_table(command):
    for game, name in TABLES:
        args = read_arguments(command.Args, [*OTHERS[command], "--game", game, "--table", name], "it")
        env = TableEnv(game, table=name)
        assert args.table_players == env.num_players
        assert TableEnv(game, args.table_players, args.variant, **args.rule_options).options == env.options
        args.check_players(env.num_players)
        with pytest.raises(ValueError, match="contradicts table"):
            args.check_players(env.num_players + 1)


def test_what_nobody_has_named_fills_the_named_table():
    args = read_arguments(play.Args, ["--table", "mini-3p"], "play")
    assert [len(play.opponents_of(args, people)) for people in (1, 2)] == [2, 1]
    assert tournament.read_agents(read_arguments(tournament.Args, ["--table", "mini-2"], "tournament"))[1] == (2,)
    assert exploit.size_of(read_arguments(exploit.Args, ["--table", "mini-3p"], "exploit")) == 3
    args = read_arguments(score.Args, ["random", "--table", "mini-2"], "score")
    protocol = find_protocol(args.game, args.variant, args.rule_options, args.table_players)
    assert {table.num_players for table in protocol.tables} == {2}
    assert protocol.options == args.rule_options


def test_a_training_is_at_the_table_that_is_named():
    pytest.importorskip("sb3_contrib")
    from blackjacky_agents.cli.train import read_arguments as read_training

    env = TableEnv("black_jacky", table="mini-3p")
    settings = read_training(["--preset", "scratch", "--table", "mini-3p", "--hand-size", "1"], "train")[0]
    assert (settings.preset, settings.players, settings.variant) == ("scratch", (3,), "classic")
    assert TableEnv("black_jacky", 3, settings.variant, **settings.rule_options).options == env.options
    assert read_training(["--preset", "champion", "--table", "mini-1"], "train")[0].variant_fraction == 0
    with pytest.raises(ValueError, match=r"variant_fraction=.* contradicts mini-1"):
        read_training(["--preset", "champion", "--table", "mini-1", "--variant-fraction", "0.3"], "train")


def test_help_for_training_shows_ten_options_and_all_settings_in_groups_if_asked(capsys):
    pytest.importorskip("sb3_contrib")
    from blackjacky_agents.cli.train import read_arguments as read_training
    from blackjacky_agents.kit.settings import GROUPS
    from blackjacky_agents.learning.stored_settings import presets_of

    shown = {}
    for asked in ("--help", "--help-all"):
        with pytest.raises(SystemExit):
            read_training(["--preset", "scratch", asked], "train")
        shown[asked] = set(re.findall(r"(?m)^[^\w-]*--([a-z][a-z-]*)", capsys.readouterr().out))
    assert shown["--help"] == {*GROUPS[""].split(), "resume", "table"}
    settings = {name for preset in presets_of("black_jacky").values() for name in vars(preset)}
    assert set(" ".join(GROUPS.values()).split()) <= settings
    scratch = {name.replace("_", "-") for name in vars(presets_of("black_jacky")["scratch"])}
    assert scratch - {"rule-options"} | {"cluster", "max-card"} <= shown["--help-all"]
