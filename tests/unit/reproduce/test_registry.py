import pytest

import footway as fw
from footway.reproduce import EXPERIMENTS, choose


def test_no_name_means_all():
    assert choose([]) == list(EXPERIMENTS.values())


def test_a_name_given_twice_is_run_once():
    assert [experiment.name for experiment in choose(["cmm", "cmm"])] == ["cmm"]


def test_unknown_names_are_refused_with_those_that_there_are():
    with pytest.raises(fw.BadInput, match=r"no table 'nope' .*cmm") as caught:
        choose(["cmm", "nope"])
    assert caught.value.exit_code == 2


def test_every_experiment_can_be_imported():
    from importlib import import_module

    for name in EXPERIMENTS:
        package = import_module(f"footway.reproduce.{name}")
        assert package.TITLE
        assert package.REMARKS
        assert all(callable(run) for _, _, run in package.STEPS)
