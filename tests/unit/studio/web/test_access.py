"""Access control."""

import re

import httpx
import pytest

from footway.studio import STATIC
from footway.studio.web.access import Access, Rate, is_loopback
from tests.unit.studio.serving import serving


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_loopback(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org", ""])
def test_not_loopback(host):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "header", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"]
)
def test_own_names(header):
    assert Access("127.0.0.1", 8000).knows_host(header)


@pytest.mark.parametrize(
    "header",
    ["evil.example:8000", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8001", "", None, ":", ":8000",
     "localhost.evil.example:8000", "127.0.0.1:8000:8000", "127.0.0.1:٨٠٠٠", "[::1]", "x" * 9999],
)  # fmt: skip
def test_other_names(header):
    assert not Access("127.0.0.1", 8000).knows_host(header)


def test_a_host_that_was_given_is_known_and_others_are_not():
    access = Access("192.168.1.5", 8000, "secret")
    assert access.knows_host("192.168.1.5:8000")
    assert not access.knows_host("192.168.1.6:8000")


def test_wildcard_host_accepts_every_address_but_no_foreign_name():
    access = Access("0.0.0.0", 8000, "secret")
    assert access.knows_host("10.0.0.7:8000")
    assert access.knows_host("localhost:8000")
    assert not access.knows_host("rebound.example:8000")


def test_the_default_port_may_be_omitted():
    assert Access("127.0.0.1", 80).knows_host("127.0.0.1")


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "",
        "null",
        "http://evil.example",
        "https://localhost:8000",
        "http://localhost:8001",
        "http://localhost:8000.evil.example",
    ],
)
def test_foreign_pages(origin):
    assert not Access("127.0.0.1", 8000).knows_origin(origin, "localhost:8000")


def test_tokens():
    assert Access("127.0.0.1", 1).knows_token(None)
    access = Access("0.0.0.0", 1, "secret")
    assert access.knows_token("secret")
    assert not any(access.knows_token(token) for token in (None, "", "secre", "sécret", "secret "))


def test_a_rate_refills_up_to_its_burst():
    rate = Rate(per_second=10.0, burst=5.0)
    assert sum(rate.allows(now=0.0) for _ in range(20)) == 5
    assert sum(rate.allows(now=0.2) for _ in range(20)) == 2
    assert sum(rate.allows(now=99.0) for _ in range(20)) == 5


@pytest.mark.skipif(not (STATIC / "index.html").is_file(), reason="the page has not been built")
def test_the_page_is_compressed_and_its_files_are_kept_for_ever():
    with serving() as studio:
        at = f"http://127.0.0.1:{studio.access.port}"
        page = httpx.get(f"{at}/", trust_env=False)
        assert page.headers["cache-control"] == "no-store"
        assert "Loading Footway studio" in page.text  # until the script has come
        (script,) = re.findall(r'src="\./(assets/[^"]+\.js)"', page.text)
        got = httpx.get(f"{at}/{script}", headers={"accept-encoding": "gzip"}, trust_env=False)
        assert got.headers["content-encoding"] == "gzip"
        assert got.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert got.num_bytes_downloaded < 0.35 * len(got.content)
        missing = httpx.get(f"{at}/assets/none.js", trust_env=False)
        assert (missing.status_code, missing.headers["cache-control"]) == (404, "no-store")
