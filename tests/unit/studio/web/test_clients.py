"""Messages that wait for browsers."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from footway.studio.web import clients
from footway.studio.web.clients import MAX_WAITING, Client, Clients


def run(coroutine):
    """Run in a separate thread: the browser tests leave an event loop in the main thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, asyncio.wait_for(coroutine, 30)).result()


def test_answers_come_in_order_and_before_frames():
    async def talk():
        client = Client()
        client.put_frame(b"old")
        client.put("a")
        client.put_frame(b"new")
        client.put("b")
        return [await client.next() for _ in range(3)]

    assert run(talk()) == ["a", "b", b"new"]


def test_only_the_newest_frame_waits():
    async def talk():
        client = Client()
        for k in range(1000):
            client.put_frame(b"%d" % k)
        first = await client.next()
        waiting = asyncio.ensure_future(client.next())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        client.put_frame(b"later")
        return first, await waiting

    assert run(talk()) == (b"999", b"later")


def test_a_client_that_does_not_read_is_removed():
    async def talk():
        client = Client()
        for _ in range(MAX_WAITING + 1):
            client.put("x")
        assert client.is_gone
        client.put("an answer that comes late")
        assert not client._waiting
        return await client.next()

    assert run(talk()) is None


def test_bytes_that_wait_have_a_limit(monkeypatch):
    """Messages that were read do not count."""
    monkeypatch.setattr(clients, "MAX_BYTES", 10)

    async def talk():
        client = Client()
        for _ in range(5):
            client.put("12345")
            client.put("67890")
            assert [await client.next() for _ in range(2)] == ["12345", "67890"]
        client.put("1234567890")
        assert not client.is_gone
        client.put("1")
        assert client.is_gone
        return await client.next()

    assert run(talk()) is None


def test_messages_can_be_sent_from_any_thread():
    async def talk():
        everybody, both = Clients(), [Client(), Client()]
        everybody.begin()
        everybody.send_frame(b"first")
        for client in both:
            everybody.join(client)
        await asyncio.sleep(0.05)
        assert [await client.next() for client in both] == [b"first"] * 2

        def tell():
            for k in range(100):
                everybody.send_frame(b"%d" % k)
            everybody.send_event("event")

        await asyncio.to_thread(tell)
        await asyncio.sleep(0.05)
        return [{await client.next() for _ in range(2)} for client in both]

    assert run(talk()) == [{"event", b"99"}] * 2


def test_a_new_client_gets_the_newest_frame():
    async def talk():
        everybody = Clients()
        everybody.begin()
        everybody.send_frame(b"frame")
        late = Client()
        everybody.join(late)
        return await late.next()

    assert run(talk()) == b"frame"


def test_a_frame_before_the_start_does_not_block_later_ones():
    everybody, client = Clients(), Client()
    everybody.join(client)
    everybody.send_frame(b"early")
    everybody.send_event("nobody hears it")

    async def talk():
        everybody.begin()
        everybody.send_frame(b"later")
        return await client.next()

    assert run(talk()) == b"later"


def test_nothing_is_sent_after_the_end():
    everybody, client = Clients(), Client()

    async def talk():
        everybody.begin()
        everybody.join(client)

    run(talk())
    everybody.send_event("x")
    everybody.send_frame(b"x")
    assert not client._waiting
    assert client._frame is None
    late = Client()
    everybody.join(late)
    assert run(late.next()) == b"x"
