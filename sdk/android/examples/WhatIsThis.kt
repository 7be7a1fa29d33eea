import java.io.File
import kaisatsu.DetectOptions
import kaisatsu.Picture
import kaisatsu.android.KaisatsuKit
import kotlinx.coroutines.runBlocking

/** What is this, and what is where in the picture? In an app the picture is DevicePicture.of(contentResolver, uri). */
object WhatIsThis {
    @JvmStatic
    fun main(arguments: Array<String>) = runBlocking {
        val kaisatsu = KaisatsuKit(System.getenv("KAISATSU_URL"), System.getenv("KAISATSU_RESTRICTED_KEY"))
        val picture = Picture.of(File(arguments[0]))
        val best = kaisatsu.recognition.classify(picture).candidates.first()
        println("${best.tag}: ${(best.score * 100).toInt()}%")
        for (thing in kaisatsu.recognition.detect(picture, DetectOptions().minScore(0.5)).candidates) {
            println("${thing.tag} from ${thing.xMin}, ${thing.yMin} to ${thing.xMax}, ${thing.yMax}")
        }
    }
}
