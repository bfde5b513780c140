import pytest

import footway as fw


@pytest.fixture(scope="package")
def env():
    return fw.load("gallery:mckenna")


@pytest.fixture(scope="package")
def cmap(env):
    return fw.CorridorMap.build(env)


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts] + [
        text.get_text() for text in figure.texts
    ]
