package kaisatsu.android

import android.content.ContentResolver
import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.graphics.Matrix
import android.net.Uri
import java.io.ByteArrayOutputStream
import java.io.IOException
import kaisatsu.Picture
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

/**
 * A picture of the device, made smaller and upright, ready to be sent.
 *
 * @property picture what the operations take
 * @property width its width in pixels: boxes and corners of answers are measured in these
 * @property height its height in pixels
 */
class DevicePicture private constructor(val picture: Picture, val width: Int, val height: Int) {
    companion object {
        private const val QUALITY = 85
        private const val HEAD = 64 * 1024

        /**
         * A picture that the user chose or took. It is decoded in the size in which it is needed.
         *
         * @throws IOException if it cannot be read, or is no picture
         */
        suspend fun of(resolver: ContentResolver, uri: Uri, maxSide: Int = Downscale.MAX_SIDE): DevicePicture =
            withContext(Dispatchers.IO) {
                val bounds = BitmapFactory.Options().apply { inJustDecodeBounds = true }
                decode(resolver, uri, bounds)
                if (bounds.outWidth <= 0) throw IOException("not a picture")
                val plan = Downscale.of(bounds.outWidth, bounds.outHeight, maxSide)
                val sampled = decode(resolver, uri, BitmapFactory.Options().apply { inSampleSize = plan.sampleSize })
                    ?: throw IOException("not a picture")
                encode(sampled, plan, Orientation.ofJpeg(head(resolver, uri)))
            }

        /** A picture in memory, which stays as it is. */
        suspend fun of(bitmap: Bitmap, maxSide: Int = Downscale.MAX_SIDE): DevicePicture =
            withContext(Dispatchers.Default) {
                encode(bitmap, Downscale.of(bitmap.width, bitmap.height, maxSide), Orientation.ofExif(1))
            }

        private fun open(resolver: ContentResolver, uri: Uri) =
            resolver.openInputStream(uri) ?: throw IOException("$uri cannot be opened")

        private fun decode(resolver: ContentResolver, uri: Uri, options: BitmapFactory.Options): Bitmap? =
            open(resolver, uri).use { BitmapFactory.decodeStream(it, null, options) }

        private fun head(resolver: ContentResolver, uri: Uri): ByteArray = open(resolver, uri).use { stream ->
            val head = ByteArray(HEAD)
            var length = 0
            while (length < HEAD) {
                val read = stream.read(head, length, HEAD - length)
                if (read < 0) break
                length += read
            }
            head.copyOf(length)
        }

        private fun encode(bitmap: Bitmap, plan: Downscale, orientation: Orientation): DevicePicture {
            val matrix = Matrix()
            matrix.postScale(plan.width.toFloat() / bitmap.width, plan.height.toFloat() / bitmap.height)
            if (orientation.mirrored) matrix.postScale(-1f, 1f)
            matrix.postRotate(orientation.degrees.toFloat())
            val ready = if (matrix.isIdentity) {
                bitmap
            } else {
                Bitmap.createBitmap(bitmap, 0, 0, bitmap.width, bitmap.height, matrix, true)
            }
            val out = ByteArrayOutputStream()
            // What is transparent must not turn black, as it would in JPEG: the server lays it on white.
            val format = if (ready.hasAlpha()) Bitmap.CompressFormat.PNG else Bitmap.CompressFormat.JPEG
            if (!ready.compress(format, QUALITY, out)) throw IOException("the picture cannot be written")
            return DevicePicture(Picture.of(out.toByteArray()), ready.width, ready.height)
        }
    }
}
