"""The checker itself: histories in which something is wrong, and ones in which nothing is."""

import sys
import unittest
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from api import Answer  # noqa: E402
from callers import Caller  # noqa: E402
from history import UNKNOWN, Fact, History, judge  # noqa: E402


def step(deed: str, what: str, name: str, second: float, **rest) -> Fact:
    return Fact(deed, what, name, began=second, ended=second + 0.5, **rest)


def at_the_end(deed: str, what: str, name: str, value: str = "", second: float = 100.0) -> list[Fact]:
    return [step(deed, what, name, second, value=value, where=where, final=True) for where in ("a", "b", "c")]


class Complaints(unittest.TestCase):
    def complaint(self, facts: list[Fact], words: str) -> None:
        found = judge(facts)
        self.assertTrue(any(words in text for text in found), f"{words} is not in {found}")

    def test_a_lost_upload(self) -> None:
        made = step("make", "image", "img_1", 1, value="abc")
        self.complaint([made, *at_the_end("miss", "image", "img_1")], "image img_1: lost")
        one_replica = [made, *at_the_end("see", "image", "img_1", "abc")[:2], *at_the_end("miss", "image", "img_1")[2:]]
        self.complaint(one_replica, "missing by c")

    def test_an_upload_that_is_missed_while_the_faults_last(self) -> None:
        facts = [step("make", "image", "img_1", 1, value="abc"), step("miss", "image", "img_1", 2),
                 *at_the_end("see", "image", "img_1", "abc")]
        self.complaint(facts, "lost")

    def test_other_bytes_than_were_uploaded(self) -> None:
        facts = [step("make", "image", "img_1", 1, value="abc"), *at_the_end("see", "image", "img_1", "abd")]
        self.complaint(facts, "changed")

    def test_a_resurrected_image(self) -> None:
        facts = [step("make", "image", "img_1", 1, value="abc"), step("remove", "image", "img_1", 5)]
        self.complaint([*facts, step("see", "image", "img_1", 6, value="abc")], "resurrected")
        self.complaint([*facts, *at_the_end("see", "image", "img_1", "abc")], "resurrected")

    def test_a_forgotten_revocation(self) -> None:
        facts = [step("make", "key", "key_1", 1), step("remove", "key", "key_1", 5)]
        self.complaint([*facts, step("see", "key", "key_1", 40)], "resurrected")
        self.complaint([*facts, *at_the_end("see", "key", "key_1", second=7)], "resurrected")
        self.complaint([step("make", "token", "t", 1), step("remove", "token", "t", 5), step("see", "token", "t", 6)],
                       "resurrected")

    def test_a_lost_or_changed_verdict(self) -> None:
        facts = [step("make", "verdict", "v", 1, value="true"), step("make", "verdict", "v", 3, value="false")]
        self.complaint([*facts, *at_the_end("miss", "verdict", "v")], "lost")
        self.complaint([*facts, *at_the_end("see", "verdict", "v", "true")], "changed")

    def test_a_dataset_that_one_request_made_twice(self) -> None:
        facts = [step("make", "dataset name", "d", 1, value="dts_1"), *at_the_end("see", "dataset name", "d", "dts_1"),
                 *at_the_end("see", "dataset name", "d", "dts_2")]
        self.complaint(facts, "changed")

    def test_replicas_that_disagree(self) -> None:
        removed = step("remove", "image", "img_1", 5, sure=False)
        facts = [step("make", "image", "img_1", 1, value="abc"), removed,
                 *at_the_end("see", "image", "img_1", "abc")[:1], *at_the_end("miss", "image", "img_1")[1:]]
        self.complaint(facts, "a have it, b, c do not")

    def test_what_nobody_made_and_what_nobody_looked_for(self) -> None:
        self.complaint(at_the_end("see", "image", "img_1", "abc"), "nobody made it")
        self.complaint([step("make", "image", "img_1", 1, value="abc")], "nobody looked for it")


class NoComplaints(unittest.TestCase):
    def quiet(self, *facts: Fact) -> None:
        self.assertEqual(judge(list(facts)), [])

    def test_everything_is_kept(self) -> None:
        self.quiet(step("make", "image", "i", 1, value="a"), *at_the_end("see", "image", "i", "a"))
        self.quiet(step("make", "image", "i", 1, value="a"), step("remove", "image", "i", 3),
                   *at_the_end("miss", "image", "i"))
        self.quiet(step("make", "verdict", "v", 1, value="true"), step("make", "verdict", "v", 2, value="false"),
                   *at_the_end("see", "verdict", "v", "false"))

    def test_a_removal_without_an_answer_may_have_been_done(self) -> None:
        facts = [step("make", "image", "i", 1, value="a"), step("remove", "image", "i", 3, sure=False)]
        self.quiet(*facts, *at_the_end("miss", "image", "i"))
        self.quiet(*facts, *at_the_end("see", "image", "i", "a"))

    def test_an_upload_without_an_answer_may_have_been_done(self) -> None:
        self.quiet(step("make", "image", UNKNOWN, 1, sure=False, value="a"), *at_the_end("see", "image", "i", "a"))
        self.quiet(step("make", "image", UNKNOWN, 1, sure=False, value="a"))

    def test_a_dataset_whose_creation_was_never_answered_may_be_there(self) -> None:
        history = History()
        caller = Caller(1, 7, 0, "key", history)
        caller.images = {f"img_{number}": b"" for number in range(6)}
        with patch.object(caller.api, "call", return_value=Answer(503, began=1, ended=2)), patch("callers.time.sleep"):
            caller.create_dataset()
        name = next(fact.name for fact in history.facts if fact.what == "dataset name")
        self.quiet(*history.facts, *at_the_end("see", "dataset name", name, "dts_1"),
                   *at_the_end("see", "dataset", "dts_1", name))

    def test_a_verdict_without_an_answer_may_have_come_last(self) -> None:
        facts = [step("make", "verdict", "v", 1, sure=False, value="false"),
                 step("make", "verdict", "v", 2, value="true")]
        self.quiet(*facts, *at_the_end("see", "verdict", "v", "false"))

    def test_a_request_that_was_under_way_when_something_was_removed(self) -> None:
        facts = [step("make", "image", "i", 1, value="a"), step("remove", "image", "i", 3)]
        self.quiet(*facts, step("see", "image", "i", 3.2, value="a"), *at_the_end("miss", "image", "i"))
        self.quiet(*facts, step("miss", "image", "i", 3.2), *at_the_end("miss", "image", "i"))

    def test_a_known_key_lasts_while_the_database_is_away(self) -> None:
        self.quiet(step("make", "key", "k", 1), step("remove", "key", "k", 5), step("see", "key", "k", 20),
                   *at_the_end("miss", "key", "k"))


if __name__ == "__main__":
    unittest.main()
