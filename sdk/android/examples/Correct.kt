import java.io.File
import kaisatsu.Picture
import kaisatsu.android.KaisatsuKit
import kotlinx.coroutines.runBlocking

/** Recognises a picture and says which candidate was right and which was wrong. */
object Correct {
    @JvmStatic
    fun main(arguments: Array<String>) = runBlocking {
        val kaisatsu = KaisatsuKit(System.getenv("KAISATSU_URL"), System.getenv("KAISATSU_RESTRICTED_KEY"))
        val picture = Picture.of(File(arguments[0]))
        val right = arguments[1]
        val answer = kaisatsu.recognition.classify(picture)
        for (candidate in answer.candidates) {
            val isRight = candidate.tag == right
            val comment = if (isRight) null else "it is $right"
            kaisatsu.recognition.feedbackToCandidate(answer.recognitionId, candidate.itemId, isRight, comment)
            println("${candidate.tag}: ${if (isRight) "right" else "wrong"}")
        }
        for (candidate in kaisatsu.recognition.classify(picture).candidates) {
            println("now ${candidate.tag}: ${candidate.score}")
        }
    }
}
