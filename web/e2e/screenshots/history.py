"""Adds usage of the last ninety days and verdicts of the last thirty to a server's database.

    python3 history.py DATABASE APPLICATION KEY
"""

import math
import random
import sqlite3
import sys
import time

HOUR = 3_600_000_000
CALLS = {"railmapDetail": (60, 1, 0.02), "railmapData": (18, 3, 0.01), "concept/classify": (25, 4, 0.04),
         "objectDetection/detect": (9, 5, 0.03), "userCategory/listImages": (4, 1, 0.0)}


def main() -> None:
    path, application, key = sys.argv[1:]
    chance = random.Random(7)
    now = int(time.time() * 1_000_000)
    database = sqlite3.connect(path, timeout=30)
    with database:
        for back in range(90 * 24):
            hour = (now // HOUR - back) * HOUR
            # More by day than by night, less at the weekend, and slowly growing.
            local = (hour // HOUR + 9) % 24
            day = max(0.05, math.sin(math.pi * (local - 5) / 18)) if 5 <= local <= 23 else 0.05
            week = 0.6 if (hour // HOUR // 24 + 4) % 7 >= 5 else 1.0
            for operation, (rate, middle, wrong) in CALLS.items():
                count = int(chance.gauss(1, 0.15) * rate * day * week * (1 - back / 4000))
                for outcome, share in (("answered", 1 - wrong), ("refused", wrong * 0.9), ("failed", wrong * 0.1)):
                    for step in range(-1, 3):
                        some = int(count * share * (0.15, 0.6, 0.2, 0.05)[step + 1] + chance.random())
                        if some and count:
                            micros = some * 1_000 * (1, 2, 6, 20, 60, 200, 600, 2000, 4000)[middle + step]
                            database.execute(
                                "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                                (application, hour, key, operation, outcome, middle + step, some, micros))
        verdicts = database.execute("SELECT recognition_id, item_id FROM feedback ORDER BY rated_at").fetchall()
        for place, row in enumerate(verdicts):
            at = now - int((1 - (place + 1) / (len(verdicts) + 1)) * 30 * 24 * HOUR)
            database.execute("UPDATE feedback SET rated_at = ? WHERE recognition_id = ? AND item_id = ?", (at, *row))


if __name__ == "__main__":
    main()
