package kaisatsu.android

/**
 * How a picture has to be turned to be upright.
 *
 * @property degrees clockwise, after mirroring
 * @property mirrored whether left and right are exchanged first
 */
data class Orientation(val degrees: Int, val mirrored: Boolean) {
    /** Whether nothing has to be done. */
    val isUpright: Boolean get() = degrees == 0 && !mirrored

    companion object {
        private const val START_OF_SCAN = 0xDA
        private const val APP1 = 0xE1
        private const val ORIENTATION_TAG = 0x0112

        /** What EXIF's numbers 1 to 8 mean; anything else is upright. */
        fun ofExif(number: Int): Orientation = when (number) {
            2 -> Orientation(0, true)
            3 -> Orientation(180, false)
            4 -> Orientation(180, true)
            5 -> Orientation(270, true)
            6 -> Orientation(90, false)
            7 -> Orientation(90, true)
            8 -> Orientation(270, false)
            else -> Orientation(0, false)
        }

        /**
         * Reads the orientation out of the beginning of a JPEG file. Android's own reader takes streams only since API
         * 24, and a picture from a `Uri` has no file. What cannot be read is upright.
         */
        fun ofJpeg(head: ByteArray): Orientation {
            val exif = Bytes(head, 0, head.size).findExif() ?: return ofExif(1)
            return ofExif(exif.readOrientation() ?: 1)
        }

        private fun Bytes.findExif(): Bytes? {
            if (short(0) != 0xFFD8) return null
            var at = 2
            while (true) {
                val marker = short(at) ?: return null
                val length = short(at + 2) ?: return null
                if (marker shr 8 != 0xFF || marker and 0xFF == START_OF_SCAN || length < 2) return null
                if (marker and 0xFF == APP1 && ascii(at + 4, 6) == "Exif\u0000\u0000") return from(at + 10)
                at += 2 + length
            }
        }

        private fun Bytes.readOrientation(): Int? {
            val tiff = when (ascii(0, 2)) {
                "II" -> copy(littleEndian = true)
                "MM" -> this
                else -> return null
            }
            val directory = tiff.long(4) ?: return null
            val entries = tiff.short(directory) ?: return null
            for (entry in 0 until entries) {
                val at = directory + 2 + 12 * entry
                if (tiff.short(at) == ORIENTATION_TAG) return tiff.short(at + 8)
            }
            return null
        }
    }

    /** Bytes that are not there are null, so that a cut or forged file does no harm. */
    private data class Bytes(
        private val bytes: ByteArray,
        private val start: Int,
        private val end: Int,
        private val littleEndian: Boolean = false,
    ) {
        fun from(offset: Int) = copy(start = start + offset)

        private fun byte(at: Int): Int? =
            if (at >= 0 && at < end - start) bytes[start + at].toInt() and 0xFF else null

        fun short(at: Int): Int? {
            val first = byte(at) ?: return null
            val second = byte(at + 1) ?: return null
            return if (littleEndian) second shl 8 or first else first shl 8 or second
        }

        fun long(at: Int): Int? {
            val first = short(at) ?: return null
            val second = short(at + 2) ?: return null
            val value = if (littleEndian) second shl 16 or first else first shl 16 or second
            return value.takeIf { it >= 0 }
        }

        fun ascii(at: Int, length: Int): String? {
            val text = StringBuilder()
            for (i in at until at + length) text.append((byte(i) ?: return null).toChar())
            return text.toString()
        }
    }
}
