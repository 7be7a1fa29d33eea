package kaisatsu.android

import java.io.File
import kaisatsu.json.JsonReader
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
    fun `one version`() {
        assertEquals(File(root, "sdk/VERSION").readText().trim(), KaisatsuKit.VERSION)
    }
}
