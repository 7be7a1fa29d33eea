"""Which stations are around me?"""

import os

from kaisatsu_client import Kaisatsu

with Kaisatsu(os.environ["KAISATSU_URL"], os.environ["KAISATSU_KEY"]) as kaisatsu:
    for station in kaisatsu.maps.station_near(35.6812, 139.7671, radius=800, limit=5).points:
        print(f"{station.name} ({station.yomi}): {station.distance} m")
