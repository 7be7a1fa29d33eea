"""Callers that upload, delete, teach and ask, each as a user of its own, and write down what they were told."""

import hashlib
import random
import threading
import time
import uuid

from api import Api, Answer, picture
from history import UNKNOWN, History

PAUSE = 0.1  # seconds between two requests of a caller, on average


class Caller(threading.Thread):
    """Sends one request after the other until it is told to stop."""

    def __init__(self, number: int, seed: int, port: int, key: str, history: History, strict: bool = False) -> None:
        super().__init__(daemon=True)
        self.random = random.Random(f"{seed}-{number}-{strict}")
        self.history, self.user = history, f"user-{number}{'-strict' if strict else ''}"
        self.api = Api(port, key, history, strict)
        self.images: dict[str, bytes] = {}  # acknowledged, and nobody asked to delete them
        self.made: dict[str, set[str]] = {"image": set(), "dataset": set()}  # all that was acknowledged
        self.used: set[str] = set()  # images of datasets
        self.deleted: list[str] = []
        self.released: list[bytes] = []  # bytes of deleted images
        self.datasets: list[str] = []
        self.deleted_datasets: list[str] = []
        self.ratings: list[tuple[str, str]] = []
        self.stopping = threading.Event()
        self.deeds = {
            self.upload: 26, self.upload_again: 8, self.delete: 14, self.look: 10, self.look_for_deleted: 12,
            self.rate: 10, self.rate_again: 3, self.create_dataset: 5, self.look_at_dataset: 4,
            self.delete_dataset: 3, self.look_for_deleted_dataset: 4, self.ask_for_maps: 12,
        }

    def run(self) -> None:
        try:
            while not self.stopping.is_set() and not self.sign_in():
                time.sleep(0.2)
            while not self.stopping.is_set():
                self.random.choices(list(self.deeds), self.deeds.values())[0]()
                time.sleep(self.random.expovariate(1 / PAUSE))
        except Exception as error:  # noqa: BLE001: a caller that ends silently would look like one that is content
            self.history.complain(f"{self.user} ended: {error!r}")
            raise

    def sign_in(self) -> bool:
        answer = self.api.call("userCategory/getToken", {"userId": self.user})
        if answer.status == 200:
            self.api.token = answer.json()["token"]
            self.history.add("make", "token", f"{self.api.key} {self.api.token}", **answer.times())
        return answer.status == 200

    def expect(self, what: str, answer: Answer, *usual: int) -> bool:
        """Whether the answer is one of the usual ones; others than 0 and 503 are none of a server's business."""
        if answer.status in usual:
            return True
        if answer.status not in (0, 503):
            self.history.complain(f"{self.user}: {what}: {answer}")
        return False

    def upload(self) -> None:
        self.send(picture(self.random))

    def upload_again(self) -> None:
        """Bytes that were just deleted, which the servers may still be removing."""
        if self.released:
            self.send(self.released.pop())

    def send(self, bytes_: bytes) -> None:
        digest = hashlib.sha256(bytes_).hexdigest()
        key = str(uuid.UUID(int=self.random.getrandbits(128)))
        for _ in range(self.random.choice([1, 1, 3])):  # some send it again, under the same key, if there is no answer
            answer = self.api.upload(bytes_, key)
            if self.expect("upload", answer, 200, 409) and answer.status == 200:
                name = answer.json()["imageId"]
                self.history.add("make", "image", name, value=digest, **answer.times())
                self.images[name] = bytes_
                self.made["image"].add(name)
                return
            self.history.add("make", "image", UNKNOWN, sure=False, value=digest, **answer.times())
            time.sleep(self.random.random())

    def delete(self) -> None:
        free = [name for name in self.images if name not in self.used]
        if len(free) < 4:
            return
        name = self.random.choice(free)
        bytes_ = self.images.pop(name)
        answer = self.api.call("userCategory/deleteImage", {"imageId": name})
        if self.expect("deleteImage", answer, 204, 404) and answer.status == 404:
            self.history.add("miss", "image", name, **answer.times())
        self.history.add("remove", "image", name, sure=answer.status == 204, **answer.times())
        if answer.status == 204:
            self.deleted.append(name)
            self.released.append(bytes_)

    def look(self) -> None:
        if self.images:
            self.see_image(self.random.choice(list(self.images)))

    def look_for_deleted(self) -> None:
        if self.deleted:
            self.see_image(self.random.choice(self.deleted[-20:]))

    def see_image(self, name: str) -> None:
        answer = self.api.image(name)
        if self.expect("getImage", answer, 200, 404):
            if answer.status == 200:
                digest = hashlib.sha256(answer.body).hexdigest()
                self.history.add("see", "image", name, value=digest, **answer.times())
            else:
                self.history.add("miss", "image", name, **answer.times())

    def rate(self) -> None:
        answer = self.api.classify(picture(self.random))
        if self.expect("classify", answer, 200) and answer.json()["candidates"]:
            told = answer.json()
            candidate = self.random.choice(told["candidates"])
            self.give_verdict(told["recognitionId"], candidate["itemId"])

    def rate_again(self) -> None:
        if self.ratings:
            self.give_verdict(*self.random.choice(self.ratings[-10:]))

    def give_verdict(self, recognition: str, item: str) -> None:
        value = self.random.choice(["true", "false"])
        answer = self.api.send("POST", "/imageRecognition/v1/feedbackToCandidate",
                               {"recognitionId": recognition, "itemId": item, "isValid": value}, b"{}",
                               "application/json")
        if self.expect("feedbackToCandidate", answer, 204, 404):
            if answer.status == 404:  # the recognition was acknowledged
                self.history.add("make", "recognition", recognition)
                self.history.add("miss", "recognition", recognition, **answer.times())
                return
            self.ratings.append((recognition, item))
        self.history.add("make", "verdict", f"{recognition}/{item}", sure=answer.status == 204, value=value,
                         **answer.times())

    def create_dataset(self) -> None:
        if len(self.images) < 6 or len(self.datasets) > 6:
            return
        chosen = self.random.sample(list(self.images), 4)
        self.used.update(chosen)
        name = f"{self.user} {self.random.getrandbits(40):x}"
        body = {"name": name, "images": [{"imageId": image, "tag": f"tag {at % 2}"} for at, image in enumerate(chosen)]}
        for _ in range(4):
            answer = self.api.call("userCategory/createDataSet", body, name.replace(" ", "-"))
            if self.expect("createDataSet", answer, 202, 409) and answer.status == 202:
                made = answer.json()["dataSetId"]
                self.datasets.append(made)
                self.made["dataset"].add(made)
                self.history.add("make", "dataset", made, value=name, **answer.times())
                self.history.add("make", "dataset name", name, value=made, **answer.times())
                return
            self.history.add("make", "dataset", UNKNOWN, sure=False, value=name, **answer.times())
            self.history.add("make", "dataset name", name, sure=False, value=UNKNOWN, **answer.times())
            time.sleep(self.random.random())

    def look_at_dataset(self) -> None:
        if self.datasets:
            self.see_dataset(self.random.choice(self.datasets))

    def look_for_deleted_dataset(self) -> None:
        if self.deleted_datasets:
            self.see_dataset(self.random.choice(self.deleted_datasets))

    def see_dataset(self, name: str) -> None:
        """Asks for it, or searches it: neither may show what is deleted."""
        if self.random.random() < 0.5:
            answer = self.api.call("userCategory/getDataSet", {"dataSetId": name, "limit": 0})
        else:
            answer = self.api.form("similarImage/search", picture(self.random), {"dataSetId": name},
                                   {"token": self.api.token})
        if self.expect("dataset", answer, 200, 404, 409):
            self.history.add("miss" if answer.status == 404 else "see", "dataset", name,
                             value=self.name_of(name), **answer.times())

    def name_of(self, dataset: str) -> str:
        return next(fact.value for fact in self.history.facts
                    if fact.deed == "make" and fact.what == "dataset" and fact.name == dataset)

    def delete_dataset(self) -> None:
        if len(self.datasets) < 2:
            return
        name = self.datasets.pop(0)
        answer = self.api.call("userCategory/deleteDataSet", {"dataSetId": name})
        if self.expect("deleteDataSet", answer, 204, 404) and answer.status == 404:
            self.history.add("miss", "dataset", name, **answer.times())
        rest = {"sure": answer.status == 204, **answer.times()}
        self.history.add("remove", "dataset", name, **rest)
        self.history.add("remove", "dataset name", self.name_of(name), **rest)
        if answer.status == 204:
            self.deleted_datasets.append(name)

    def ask_for_maps(self) -> None:
        answer = self.api.maps()
        if answer.status not in (0, 200):
            self.history.complain(f"{self.user}: a route map needs no database, and the answer was {answer}")
