"""What is this, and what is where in the picture?"""

import os
import sys

from kaisatsu_client import Kaisatsu

picture = sys.argv[1]
with Kaisatsu(os.environ["KAISATSU_URL"], os.environ["KAISATSU_KEY"]) as kaisatsu:
    best = kaisatsu.recognition.classify(picture, language="en").candidates[0]
    print(f"{best.tag}: {best.score:.0%}")
    for thing in kaisatsu.recognition.detect(picture, min_score=0.5).candidates:
        print(f"{thing.tag} from {thing.x_min:.0f}, {thing.y_min:.0f} to {thing.x_max:.0f}, {thing.y_max:.0f}")
