package kaisatsu.android

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.File
import kaisatsu.http.HttpResponse
import kaisatsu.json.JsonReader
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** Every operation that a restricted key may use is here, and no other. */
internal class OperationsTest {
    private val root = File(System.getProperty("kaisatsu.root"))

    @Test
    fun `the operations of a restricted key`() {
        val wanted = sortedSetOf<String>()
        for (entry in JsonReader.read(File(root, "sdk/cases/operations.json").readBytes()) as List<*>) {
            val operation = entry as Map<*, *>
            if (operation["key"] == "restricted" || operation["key"] == "none") {
                listOf("name", "each").mapNotNull { operation[it] }.forEach { wanted += "${operation["group"]}.$it" }
            }
        }
        wanted += "datasets.waitUntilReady"
        wanted += "datasets.progress"
        wanted += "datasets.createFromStorage" // a form of datasets.create
        wanted += ".withIdempotencyKey" // no operation: a client for one call
        val groups = mapOf(
            "" to KaisatsuKit::class.java,
            "maps" to MapOperations::class.java,
            "recognition" to RecognitionOperations::class.java,
            "datasets" to DatasetOperations::class.java,
            "images" to ImageOperations::class.java,
        )
        val offered = groups.flatMapTo(sortedSetOf()) { (group, type) ->
            type.declaredMethods
                .filter { !it.name.contains('$') && !it.isSynthetic && !it.name.startsWith("get") || it.name == "get" }
                .map { "$group.${it.name}" }
        }
        assertEquals(wanted, offered)
    }

    @Test
    fun `feedback can say what it really is`() {
        val bodies = mutableListOf<String>()
        val kit = KaisatsuKit("http://server.example", "key") {
            transport { request, _ ->
                bodies += ByteArrayOutputStream().also { request.body.writeTo(it) }.toString("UTF-8")
                HttpResponse(204, emptyMap(), ByteArrayInputStream(ByteArray(0)))
            }
        }
        runBlocking {
            kit.recognition.feedback("r", true, tag = "latte")
            kit.recognition.feedbackToCandidate("r", "i", false, "no", "latte")
            kit.recognition.feedback("r", true)
        }
        assertEquals(listOf("""{"tag":"latte"}""", """{"comment":"no","tag":"latte"}""", "{}"), bodies)
    }

    @Test
    fun `one version`() {
        assertEquals(File(root, "sdk/VERSION").readText().trim(), KaisatsuKit.VERSION)
    }
}
