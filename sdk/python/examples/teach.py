"""Teaches three things by the pictures of a folder, disc-1.png and so on, and asks about another picture."""

import os
import sys
from pathlib import Path

from kaisatsu_client import DataSetImage, Kaisatsu

folder = Path(sys.argv[1])
with Kaisatsu(os.environ["KAISATSU_URL"], os.environ["KAISATSU_KEY"]) as kaisatsu:
    # On your server. An app has a restricted key, and gets the token of its user from your server.
    token = kaisatsu.datasets.get_token("alice").token

    images = []
    for tag in ("disc", "stripes", "checks"):
        for number in range(1, 5):
            stored = kaisatsu.images.upload(token, folder / f"{tag}-{number}.png", tag=tag)
            images.append(DataSetImage(image_id=stored.image_id, tag=tag))
    data_set = kaisatsu.datasets.create(token, "shapes", images)
    kaisatsu.datasets.wait_until_ready(
        token,
        data_set.data_set_id,
        on_progress=lambda now: print(f"{now.state}: {now.progress.done} of {now.progress.total}"),
    )

    answer = kaisatsu.recognition.classify(folder / "stripes-5.png", data_set_id=data_set.data_set_id, token=token)
    print(f"It is {answer.candidates[0].tag}")
    kaisatsu.datasets.delete(token, data_set.data_set_id)
