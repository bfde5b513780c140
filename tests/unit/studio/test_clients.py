"""What waits for browsers, and how long."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from footway.studio import clients
from footway.studio.clients import MOST_WAITING, Client, Clients


def run(coroutine):
    """Run in a thread of its own: the tests in a browser leave an event loop in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, asyncio.wait_for(coroutine, 30)).result()


def test_answers_come_in_order_and_before_frames():
    async def story():
        watcher = Client()
        watcher.show(b"old")
        watcher.put("a")
        watcher.show(b"new")
        watcher.put("b")
        return [await watcher.next() for _ in range(3)]

    assert run(story()) == ["a", "b", b"new"]


def test_only_the_newest_frame_waits():
    async def story():
        watcher = Client()
        for k in range(1000):
            watcher.show(b"%d" % k)
        first = await watcher.next()
        waiting = asyncio.ensure_future(watcher.next())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        watcher.show(b"later")
        return first, await waiting

    assert run(story()) == (b"999", b"later")


def test_who_does_not_read_is_sent_away():
    async def story():
        watcher = Client()
        for _ in range(MOST_WAITING + 1):
            watcher.put("x")
        assert watcher.is_gone
        watcher.put("an answer that comes late")
        assert not watcher._waiting
        return await watcher.next()

    assert run(story()) is None


def test_bytes_that_wait_have_a_limit(monkeypatch):
    """What was read does not count any more."""
    monkeypatch.setattr(clients, "MOST_BYTES", 10)

    async def story():
        watcher = Client()
        for _ in range(5):
            watcher.put("12345")
            watcher.put("67890")
            assert [await watcher.next() for _ in range(2)] == ["12345", "67890"]
        watcher.put("1234567890")
        assert not watcher.is_gone
        watcher.put("1")
        assert watcher.is_gone
        return await watcher.next()

    assert run(story()) is None


def test_an_audience_is_told_from_any_thread():
    async def story():
        audience, both = Clients(), [Client(), Client()]
        audience.begin()
        audience.show(b"first")
        for watcher in both:
            audience.join(watcher)
        await asyncio.sleep(0.05)
        assert [await watcher.next() for watcher in both] == [b"first"] * 2

        def tell():
            for k in range(100):
                audience.show(b"%d" % k)
            audience.say("event")

        await asyncio.to_thread(tell)
        await asyncio.sleep(0.05)
        return [{await watcher.next() for _ in range(2)} for watcher in both]

    assert run(story()) == [{"event", b"99"}] * 2


def test_who_comes_late_sees_the_newest_frame():
    async def story():
        audience = Clients()
        audience.begin()
        audience.show(b"frame")
        late = Client()
        audience.join(late)
        return await late.next()

    assert run(story()) == b"frame"


def test_a_frame_before_the_beginning_holds_up_no_later_one():
    audience, watcher = Clients(), Client()
    audience.join(watcher)
    audience.show(b"early")
    audience.say("nobody hears it")

    async def story():
        audience.begin()
        audience.show(b"later")
        return await watcher.next()

    assert run(story()) == b"later"


def test_nobody_is_told_after_the_end():
    audience, watcher = Clients(), Client()

    async def story():
        audience.begin()
        audience.join(watcher)

    run(story())
    audience.say("x")
    audience.show(b"x")
    assert not watcher._waiting
    assert watcher._frame is None
    late = Client()
    audience.join(late)
    assert run(late.next()) == b"x"
