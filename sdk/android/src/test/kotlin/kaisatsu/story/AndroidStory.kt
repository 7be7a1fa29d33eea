package kaisatsu.story

import kaisatsu.ClassifyOptions
import kaisatsu.CourseQuery
import kaisatsu.DetectOptions
import kaisatsu.PageQuery
import kaisatsu.Picture
import kaisatsu.RailMapDataQuery
import kaisatsu.RailMapListQuery
import kaisatsu.RailMapQuery
import kaisatsu.ReadTextOptions
import kaisatsu.RecognizeOptions
import kaisatsu.SimilarOptions
import kaisatsu.StationNearQuery
import kaisatsu.StationQuery
import kaisatsu.TagQuery
import kaisatsu.UploadOptions
import kaisatsu.android.KaisatsuKit
import kaisatsu.error.CancelledException
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout

/**
 * Runs the story with the library for apps, on a JVM. What restricted keys are refused is no matter of an app: those
 * steps are run by the library for servers.
 */
internal object AndroidStory {
    private val ofServers = setOf("recognition.explain", "recognition.feedbackTotals")

    @JvmStatic
    fun main(arguments: Array<String>) {
        val story = Story { step, with, throughProxy ->
            val name = step["call"] as String
            if (name.startsWith("catalogue.") || name.startsWith("collections.") || name in ofServers) {
                Calls.call(Clients.of(step, throughProxy), with, step)
            } else {
                val address = Clients.address(throughProxy)
                val kit = KaisatsuKit(address, Clients.key(step)) { Clients.configure(this, step) }
                val arguments = Arguments(with)
                val used = arguments.take("idempotencyKey")?.let { kit.withIdempotencyKey(it as String) } ?: kit
                runBlocking { plain(cancelledAfter(step["cancelAfter"]) { call(used, name, arguments) }, step) }
            }
        }
        story.save("token", System.getenv("KAISATSU_TOKEN"))
        Story.tell(story) { it["server"] != true }
    }

    private suspend fun cancelledAfter(seconds: Any?, call: suspend () -> Any?): Any? {
        if (seconds == null) return call()
        try {
            return withTimeout(((seconds as Number).toDouble() * 1000).toLong()) { call() }
        } catch (e: TimeoutCancellationException) {
            throw CancelledException("the coroutine was cancelled", e)
        }
    }

    private suspend fun plain(result: Any?, step: Map<String, Any?>): Any? = when (result) {
        is Unit -> null
        is Flow<*> -> {
            val limit = (step["take"] as Number?)?.toInt()
            Plain.of((if (limit == null) result else result.take(limit)).toList())
        }
        else -> Plain.of(result)
    }

    private inline fun <reified T> Arguments.rest(): T = values("", arrayOf(T::class.java))[0] as T

    private fun Arguments.picture(): Picture = Calls.picture(take("image"))

    private suspend fun call(kit: KaisatsuKit, name: String, with: Arguments): Any? = when (name) {
        "health" -> kit.health()
        "ready" -> kit.ready()
        "maps.railmapList" -> kit.maps.railmapList(with.rest<RailMapListQuery>())
        "maps.railmapDetail" -> kit.maps.railmapDetail(with.rest<RailMapQuery>())
        "maps.railmapData" -> kit.maps.railmapData(with.rest<RailMapDataQuery>())
        "maps.stations" -> kit.maps.stations(with.rest<StationQuery>())
        "maps.eachStation" -> kit.maps.eachStation(with.rest<StationQuery>())
        "maps.stationNear" -> kit.maps.stationNear(with.rest<StationNearQuery>())
        "maps.searchCourse" -> kit.maps.searchCourse(with.rest<CourseQuery>())
        "recognition.classify" -> kit.recognition.classify(with.picture(), with.rest<ClassifyOptions>())
        "recognition.detect" -> kit.recognition.detect(with.picture(), with.rest<DetectOptions>())
        "recognition.similar" -> when (val text = with.take("text")) {
            null -> kit.recognition.similar(with.picture(), with.rest<SimilarOptions>())
            else -> kit.recognition.similar(text as String, with.rest<SimilarOptions>())
        }
        "recognition.recognize" -> kit.recognition.recognize(with.picture(), with.rest<RecognizeOptions>())
        "recognition.readText" -> kit.recognition.readText(with.picture(), with.rest<ReadTextOptions>())
        "recognition.feedback" ->
            kit.recognition.feedback(
                with.text("recognitionId"),
                with.flag("isValid"),
                with.text("comment"),
                with.text("tag"),
            )
        "recognition.feedbackToCandidate" -> kit.recognition.feedbackToCandidate(
            with.text("recognitionId"),
            with.text("itemId"),
            with.flag("isValid"),
            with.text("comment"),
            with.text("tag"),
        )
        "recognition.models" -> kit.recognition.models()
        "recognition.modelTags" -> kit.recognition.modelTags(with.text("name"), with.rest<TagQuery>())
        "recognition.thumbnail" -> when (val collection = with.take("collection")) {
            null -> kit.recognition.thumbnail(with.text("id"))
            else -> kit.recognition.thumbnail(collection as String, with.text("imageId"))
        }
        "recognition.eachTag" -> kit.recognition.eachTag(with.text("name"), with.rest<TagQuery>())
        else -> callForUser(kit, name, with.text("token"), with)
    }

    private suspend fun callForUser(kit: KaisatsuKit, name: String, token: String, with: Arguments) = when (name) {
        "datasets.create" -> when (with.take("from")) {
            "storage" -> kit.datasets.createFromStorage(token, with.text("name"))
            else -> kit.datasets.create(token, with.text("name"), Calls.references(with.take("images")))
        }
        "datasets.update" -> kit.datasets.update(token, with.text("dataSetId"), Calls.changes(with))
        "datasets.undo" -> kit.datasets.undo(token, with.text("dataSetId"))
        "datasets.get" -> kit.datasets.get(token, with.text("dataSetId"), with.rest<PageQuery>())
        "datasets.list" -> kit.datasets.list(token, with.rest<PageQuery>())
        "datasets.each" -> kit.datasets.each(token, with.rest<PageQuery>())
        "datasets.delete" -> kit.datasets.delete(token, with.text("dataSetId"))
        "datasets.waitUntilReady" -> kit.datasets.waitUntilReady(token, with.text("dataSetId"))
        "images.upload" -> kit.images.upload(token, with.picture(), with.rest<UploadOptions>())
        "images.list" -> kit.images.list(token, with.rest<PageQuery>())
        "images.each" -> kit.images.each(token, with.rest<PageQuery>())
        "images.get" -> kit.images.get(token, with.text("imageId"), with.text("size"))
        "images.delete" -> kit.images.delete(token, with.text("imageId"))
        else -> throw IllegalArgumentException("no call $name")
    }
}
