package kaisatsu.android

import kaisatsu.ClassifyOptions
import kaisatsu.DetectOptions
import kaisatsu.Picture
import kaisatsu.ReadTextOptions
import kaisatsu.RecognizeOptions
import kaisatsu.SimilarOptions
import kaisatsu.TagQuery
import kaisatsu.model.Classification
import kaisatsu.model.Detection
import kaisatsu.model.ImageData
import kaisatsu.model.Models
import kaisatsu.model.Recognition
import kaisatsu.model.SimilarImages
import kaisatsu.model.Tag
import kaisatsu.model.TagPage
import kaisatsu.model.TextReading
import kotlinx.coroutines.flow.Flow

/** Recognition of pictures, and feedback on it. Pictures of the device come from [DevicePicture]. */
class RecognitionOperations internal constructor(private val calls: Calls) {
    /** Says what a picture shows: the best categories first. */
    suspend fun classify(image: Picture, options: ClassifyOptions = ClassifyOptions()): Classification =
        calls { recognition().classify(image, options) }

    /** Finds things in a picture, surest first. */
    suspend fun detect(image: Picture, options: DetectOptions = DetectOptions()): Detection =
        calls { recognition().detect(image, options) }

    /** Searches a collection or a dataset for pictures that are alike. */
    suspend fun similar(image: Picture, options: SimilarOptions): SimilarImages =
        calls { recognition().similar(image, options) }

    /** Searches a collection or a dataset for pictures that show what [text] says. */
    suspend fun similar(text: String, options: SimilarOptions): SimilarImages =
        calls { recognition().similar(text, options) }

    /** Recognises items of the catalogue. */
    suspend fun recognize(image: Picture, options: RecognizeOptions = RecognizeOptions()): Recognition =
        calls { recognition().recognize(image, options) }

    /** Reads the text in a picture. */
    suspend fun readText(image: Picture, options: ReadTextOptions = ReadTextOptions()): TextReading =
        calls { recognition().readText(image, options) }

    /**
     * Says whether a whole result was right. [tag] is what the picture really shows: a tag of the model that answered,
     * also one that is no candidate.
     */
    suspend fun feedback(recognitionId: String, isValid: Boolean, comment: String? = null, tag: String? = null) {
        calls { recognition().feedback(recognitionId, isValid, comment, tag) }
    }

    /** Says whether a candidate was right; [tag] as in [feedback]. */
    suspend fun feedbackToCandidate(
        recognitionId: String,
        itemId: String,
        isValid: Boolean,
        comment: String? = null,
        tag: String? = null,
    ) {
        calls { recognition().feedbackToCandidate(recognitionId, itemId, isValid, comment, tag) }
    }

    /** Lists the models. */
    suspend fun models(): Models = calls { recognition().models() }

    /** Lists the tags that a model can answer with, a page of them. */
    suspend fun modelTags(name: String, query: TagQuery = TagQuery()): TagPage =
        calls { recognition().modelTags(name, query) }

    /** Lists the tags that a model can answer with, all of them. */
    fun eachTag(name: String, query: TagQuery = TagQuery()): Flow<Tag> =
        calls.pages { recognition().eachTag(name, query) }

    /** Reads a small picture of an image of a collection. */
    suspend fun thumbnail(collection: String, imageId: String): ImageData =
        calls { recognition().thumbnail(collection, imageId) }

    /** Reads a small picture of an item of the catalogue. */
    suspend fun thumbnail(id: String): ImageData = calls { recognition().thumbnail(id) }
}
