package kaisatsu.android

import kaisatsu.PageQuery
import kaisatsu.Picture
import kaisatsu.UploadOptions
import kaisatsu.model.ImageData
import kaisatsu.model.ImagePage
import kaisatsu.model.StoredImage
import kaisatsu.model.UploadedImage
import kotlinx.coroutines.flow.Flow

/** The images of the user's storage area. The token comes from a server of your own. */
class ImageOperations internal constructor(private val calls: Calls) {
    /** Stores an image. */
    suspend fun upload(token: String, image: Picture, options: UploadOptions = UploadOptions()): UploadedImage =
        calls { images().upload(token, image, options) }

    /** Lists the user's images, a page of them. */
    suspend fun list(token: String, page: PageQuery = PageQuery()): ImagePage = calls { images().list(token, page) }

    /** Lists the user's images, all of them. */
    fun each(token: String, page: PageQuery = PageQuery()): Flow<StoredImage> =
        calls.pages { images().each(token, page) }

    /** Reads an image; [size] is `thumbnail` for a small form of it, or null for the image as it was uploaded. */
    suspend fun get(token: String, imageId: String, size: String? = null): ImageData =
        calls { images().get(token, imageId, size) }

    /** Deletes an image from the storage area. */
    suspend fun delete(token: String, imageId: String) {
        calls { images().delete(token, imageId) }
    }
}
