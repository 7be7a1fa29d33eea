package kaisatsu.android

import kotlin.math.max
import kotlin.math.roundToInt

/**
 * How a picture is made smaller before it is sent.
 *
 * @property sampleSize the power of two that the decoder divides by while it reads, so that a photograph of 50
 * megapixels never is in memory as a whole
 * @property width the width as sent
 * @property height the height as sent
 */
data class Downscale(val sampleSize: Int, val width: Int, val height: Int) {
    companion object {
        /** The longer side of what is sent, unless the caller asks for another: recognition gains nothing above it. */
        const val MAX_SIDE: Int = 1600

        /** The plan for a picture of [width] by [height] pixels; small pictures stay as they are. */
        fun of(width: Int, height: Int, maxSide: Int = MAX_SIDE): Downscale {
            require(width > 0 && height > 0) { "the picture has no pixels" }
            require(maxSide > 0) { "the longer side must have a pixel" }
            val longer = max(width, height)
            var sampleSize = 1
            while (longer / (sampleSize * 2) >= maxSide) {
                sampleSize *= 2
            }
            val factor = minOf(1.0, maxSide.toDouble() / longer)
            val scaled = { side: Int -> max(1, (side * factor).roundToInt()) }
            return Downscale(sampleSize, scaled(width), scaled(height))
        }
    }
}
