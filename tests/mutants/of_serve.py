"""What the service must not get wrong."""

from .mutant import Mutant

BATCHING, UPLOADS, SERVICE, EDGE = (
    f"tools/{name}.py" for name in ("batching", "uploads", "service", "edge")
)
OF_BATCHING, OF_UPLOADS, OF_SERVE = (
    f"tools/test_{name}.py::" for name in ("batching", "uploads", "serve")
)

MUTANTS = tuple(
    Mutant(name, "Tools", rule, file, old, new, test)
    for name, rule, file, old, new, test in (
        (
            "the-answer-of-another-request",
            "Each request of a batch gets its own answer.",
            BATCHING,
            "zip(batch, answers, strict=True)",
            "zip(batch[::-1], answers, strict=True)",
            f"{OF_SERVE}test_requests_at_one_time_share_a_batch_and_get_their_own_answers",
        ),
        (
            "one-request-at-a-time",
            "Requests that wait are answered together.",
            BATCHING,
            "size = min(len(self._waiting), self._max_batch)",
            "size = min(len(self._waiting), 1)",
            f"{OF_SERVE}test_requests_at_one_time_share_a_batch_and_get_their_own_answers",
        ),
        (
            "the-end-drops-what-waits",
            "What waits is answered before the service ends.",
            BATCHING,
            "while batch := self._next():",
            "while (batch := self._next()) and not self._closed:",
            f"{OF_BATCHING}test_the_end_answers_what_waits_and_takes_no_more",
        ),
        (
            "a-queue-without-an-end",
            "A request that finds the queue full is refused.",
            SERVICE,
            "if self.taken + count > self.max_queue:",
            "if count > self.max_queue:",
            f"{OF_SERVE}test_a_full_queue_refuses_and_the_service_still_says_how_it_is",
        ),
        (
            "a-stream-without-a-limit",
            "A body of no declared length is read no further than the limit.",
            UPLOADS,
            "if size > limits.bytes:",
            "if size < 0:",
            f"{OF_UPLOADS}test_a_bad_upload_is_answered_in_one_line[a stream]",
        ),
        (
            "a-bomb-is-decoded",
            "An image's size is looked at before it is decoded.",
            UPLOADS,
            "if width * height > limits.pixels:",
            "if width > limits.pixels:",
            f"{OF_UPLOADS}test_a_bomb_is_refused_by_its_header_alone",
        ),
        (
            "an-endless-body-is-read-on",
            "A connection whose body was refused is closed.",
            EDGE,
            'message["headers"] = [*message["headers"], (b"connection", b"close")]',
            "pass",
            f"{OF_UPLOADS}test_a_body_is_read_no_further_than_its_limit",
        ),
    )
)
