package kaisatsu.android

import kaisatsu.error.KaisatsuException
import kaisatsu.error.RateLimitedException
import kaisatsu.error.TimeoutException
import kaisatsu.error.TransportException
import kaisatsu.error.UnavailableException
import kaisatsu.model.Classification
import kaisatsu.model.DataSet
import kaisatsu.model.Detection
import kaisatsu.model.Recognition

/** What a screen shows of a recognition. Immutable and compared by value, so that Compose redraws what changed. */
sealed interface RecognitionState {
    /** Nothing was asked yet. */
    data object Idle : RecognitionState

    /** The answer is on its way. */
    data object Working : RecognitionState

    /**
     * The answer.
     *
     * @property recognitionId for feedback
     * @property candidates the best first
     */
    data class Done(val recognitionId: String, val candidates: List<CandidateState>) : RecognitionState {
        /** The same with the user's verdict on a candidate. */
        fun rated(itemId: String, isValid: Boolean): Done =
            copy(candidates = candidates.map { if (it.itemId == itemId) it.copy(verdict = isValid) else it })
    }

    /**
     * It failed.
     *
     * @property message the server's sentence, or what went wrong with the connection
     * @property canRetry whether the same picture may succeed later
     * @property requestId finds the request in the server's log
     */
    data class Failed(val message: String, val canRetry: Boolean, val requestId: String?) : RecognitionState

    companion object {
        /** The state for an answer to `classify`. */
        fun of(answer: Classification): Done =
            Done(answer.recognitionId, answer.candidates.map { CandidateState(it.itemId, it.tag, it.score) })

        /** The state for an answer to `detect`. */
        fun of(answer: Detection): Done = Done(
            answer.recognitionId,
            answer.candidates.map {
                CandidateState(it.itemId, it.tag, it.score, BoxState.of(it, answer.width, answer.height))
            },
        )

        /** The state for an answer to `recognize`. */
        fun of(answer: Recognition): Done = Done(
            answer.recognitionId,
            answer.candidates.map { CandidateState(it.itemId, it.detail["itemName"]?.toString().orEmpty(), it.score) },
        )

        /** The state for a failure. */
        fun of(failure: KaisatsuException): Failed {
            val canRetry = failure is TransportException || failure is TimeoutException ||
                failure is RateLimitedException || failure is UnavailableException
            return Failed(failure.message.orEmpty(), canRetry, failure.requestId)
        }
    }
}

/**
 * A candidate on the screen.
 *
 * @property itemId for feedback
 * @property title its name
 * @property score how sure the engine is, from 0 to 1
 * @property box where it is in the picture, or null where the operation does not say
 * @property verdict what the user said of it, or null
 */
data class CandidateState(
    val itemId: String,
    val title: String,
    val score: Double,
    val box: BoxState? = null,
    val verdict: Boolean? = null,
)

/**
 * Where a thing is, as shares of the picture from 0 to 1, so that it fits however large the picture is shown.
 *
 * @property left from the left edge of the picture
 * @property top from the top edge of the picture
 * @property right from the left edge of the picture
 * @property bottom from the top edge of the picture
 */
data class BoxState(val left: Double, val top: Double, val right: Double, val bottom: Double) {
    companion object {
        internal fun of(thing: kaisatsu.model.ThingCandidate, width: Int, height: Int) = BoxState(
            (thing.xMin / width).coerceIn(0.0, 1.0),
            (thing.yMin / height).coerceIn(0.0, 1.0),
            (thing.xMax / width).coerceIn(0.0, 1.0),
            (thing.yMax / height).coerceIn(0.0, 1.0),
        )
    }
}

/**
 * What a screen shows of a dataset that is being built.
 *
 * @property name what the user calls it
 * @property state `queued`, `building`, `ready` or `failed`
 * @property done how many of its images came to something, good or bad
 * @property total how many images it has
 */
data class DataSetState(val name: String, val state: String, val done: Long, val total: Long) {
    /** From 0 to 1. */
    val share: Float get() = if (total == 0L) 0f else done.toFloat() / total

    companion object {
        /** The state of a dataset. */
        fun of(dataSet: DataSet): DataSetState =
            DataSetState(dataSet.name, dataSet.state, dataSet.progress.done, dataSet.progress.total)
    }
}
