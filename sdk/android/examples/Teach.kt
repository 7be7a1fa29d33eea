import java.io.File
import kaisatsu.ClassifyOptions
import kaisatsu.ImageReference
import kaisatsu.Picture
import kaisatsu.UploadOptions
import kaisatsu.android.KaisatsuKit
import kotlinx.coroutines.runBlocking

/** Teaches three things by the pictures of a folder, disc-1.png and so on, and asks about another picture. */
object Teach {
    @JvmStatic
    fun main(arguments: Array<String>) = runBlocking {
        val kaisatsu = KaisatsuKit(System.getenv("KAISATSU_URL"), System.getenv("KAISATSU_RESTRICTED_KEY"))
        val folder = File(arguments[0])
        // An app gets the token of its user from your own server; see the token broker.
        val token = System.getenv("KAISATSU_TOKEN")

        val images = listOf("disc", "stripes", "checks").flatMap { tag ->
            (1..4).map { number ->
                val picture = Picture.of(File(folder, "$tag-$number.png"))
                val stored = kaisatsu.images.upload(token, picture, UploadOptions().tag(tag))
                ImageReference.stored(stored.imageId, tag)
            }
        }
        val dataSetId = kaisatsu.datasets.create(token, "shapes", images).dataSetId
        kaisatsu.datasets.progress(token, dataSetId).collect { now ->
            println("${now.state}: ${now.progress.done} of ${now.progress.total}")
        }

        val options = ClassifyOptions().dataSetId(dataSetId).token(token)
        val answer = kaisatsu.recognition.classify(Picture.of(File(folder, "stripes-5.png")), options)
        println("It is ${answer.candidates.first().tag}")
        kaisatsu.datasets.delete(token, dataSetId)
    }
}
