"""Recognises a picture and says which candidate was right and which was wrong."""

import os
import sys

from kaisatsu_client import Kaisatsu

picture, right = sys.argv[1:3]
with Kaisatsu(os.environ["KAISATSU_URL"], os.environ["KAISATSU_KEY"]) as kaisatsu:
    answer = kaisatsu.recognition.classify(picture)
    for candidate in answer.candidates:
        is_right = candidate.tag == right
        comment = None if is_right else f"it is {right}"
        kaisatsu.recognition.feedback_to_candidate(answer.recognition_id, candidate.item_id, is_right, comment=comment)
        print(f"{candidate.tag}: {'right' if is_right else 'wrong'}")
    for candidate in kaisatsu.recognition.classify(picture).candidates:
        print(f"now {candidate.tag}: {candidate.score:.3f}")
