"""Draws the HEIC and AVIF files of these tests: pip install pillow pillow-heif; python draw.py."""

from pathlib import Path
import pillow_heif
from PIL import Image, ImageDraw

pillow_heif.register_heif_opener()
folder = Path(__file__).parent
# Red, green, yellow and blue quarters, from the upper left to the lower right.
picture = Image.new("RGB", (64, 48), (40, 90, 200))
draw = ImageDraw.Draw(picture)
draw.rectangle((0, 0, 31, 23), fill=(220, 30, 30))
draw.rectangle((32, 0, 63, 23), fill=(30, 200, 60))
draw.rectangle((0, 24, 31, 47), fill=(240, 220, 40))
# The blue quarter is transparent.
clear = picture.convert("RGBA")
clear.paste((0, 0, 0, 0), (32, 24, 64, 48))
# To be turned by a quarter to the right.
exif = Image.Exif()
exif[0x0112] = 6
for ending in ["heic", "avif"]:
    picture.save(folder / f"quarters.{ending}", quality=90)
    clear.save(folder / f"clear.{ending}", quality=90)
    picture.save(folder / f"turned.{ending}", quality=90, exif=exif.tobytes())
wide = b"".join(int(value * 257).to_bytes(2, "little") for value in picture.tobytes())
pillow_heif.from_bytes(mode="RGB;16", size=picture.size, data=wide).save(folder / "ten-bits.heic", quality=90)
