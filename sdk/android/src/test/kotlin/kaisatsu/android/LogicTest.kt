package kaisatsu.android

import kaisatsu.json.JsonObject
import kaisatsu.json.JsonReader
import kaisatsu.model.Detection
import kaisatsu.model.RailMap
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** What of the library does not need a device. */
internal class LogicTest {
    @Test
    fun `large pictures are read in steps of two and sent with the longer side asked for`() {
        assertEquals(Downscale(1, 800, 600), Downscale.of(800, 600))
        assertEquals(Downscale(1, 1600, 1200), Downscale.of(2000, 1500))
        assertEquals(Downscale(2, 1600, 1200), Downscale.of(4000, 3000))
        assertEquals(Downscale(4, 1067, 1600), Downscale.of(5000, 7500))
        assertEquals(Downscale(1, 100, 1), Downscale.of(3000, 2, 100).copy(sampleSize = 1))
        assertThrows(IllegalArgumentException::class.java) { Downscale.of(0, 5) }
    }

    @Test
    fun `the orientation of photographs is read in both byte orders`() {
        for (number in 1..8) {
            assertEquals(Orientation.ofExif(number), Orientation.ofJpeg(jpeg(number, littleEndian = true)))
            assertEquals(Orientation.ofExif(number), Orientation.ofJpeg(jpeg(number, littleEndian = false)))
        }
        assertEquals(Orientation(90, false), Orientation.ofExif(6))
        assertTrue(Orientation.ofExif(9).isUpright)
    }

    @Test
    fun `files that are cut or forged are upright`() {
        val whole = jpeg(6, littleEndian = true)
        for (length in 0 until whole.size - 8) {
            assertTrue(Orientation.ofJpeg(whole.copyOf(length)).isUpright, "cut after $length")
        }
        assertTrue(Orientation.ofJpeg("PNG".toByteArray()).isUpright)
        val forged = whole.clone().also { for (i in 20 until 24) it[i] = 0xFF.toByte() }
        assertTrue(Orientation.ofJpeg(forged).isUpright)
    }

    /** The beginning of a JPEG file with one entry of EXIF. */
    private fun jpeg(orientation: Int, littleEndian: Boolean): ByteArray {
        fun number(value: Int, size: Int): List<Int> =
            (0 until size).map { value shr (8 * it) and 0xFF }.let { if (littleEndian) it else it.reversed() }
        val order = if (littleEndian) "II" else "MM"
        val tiff = order.map { it.code } + number(42, 2) + number(8, 4) + number(1, 2) +
            number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2) + number(0, 4)
        val exif = "Exif\u0000\u0000".map { it.code } + tiff
        val length = exif.size + 2
        val jfif = listOf(0xFF, 0xE0, 0, 4, 1, 1)
        val bytes = listOf(0xFF, 0xD8) + jfif + listOf(0xFF, 0xE1, length shr 8, length and 0xFF) + exif
        return bytes.map { it.toByte() }.toByteArray()
    }

    @Test
    fun `the map is moved within its edges`() {
        val start = Viewport(0.0, 0.0, 2.0)
        assertEquals(Viewport(50.0, 10.0, 2.0), start.movedBy(100f, 20f, 200, 200, 1000.0, 1000.0))
        assertEquals(Viewport(0.0, 0.0, 2.0), start.movedBy(-100f, -1f, 200, 200, 1000.0, 1000.0))
        assertEquals(Viewport(900.0, 900.0, 2.0), start.movedBy(9999f, 9999f, 200, 200, 1000.0, 1000.0))
        assertEquals(Viewport(0.0, 0.0, 2.0), start.movedBy(50f, 50f, 200, 200, 60.0, 60.0), "smaller than the screen")
    }

    @Test
    fun `only tiles in sight and on the map are loaded`() {
        val tiles = Viewport(350.0, 0.0, 1.0).tiles(200, 100, 1000.0, 1000.0)
        assertEquals(listOf(Viewport.Tile(0, 0), Viewport.Tile(1, 0)), tiles)
        val last = Viewport(900.0, 900.0, 1.0).tiles(500, 500, 1000.0, 1000.0)
        assertEquals(listOf(Viewport.Tile(2, 2)), last)
        assertEquals(listOf(Viewport.Tile(0, 0)), Viewport(0.0, 0.0, 1.0).tiles(400, 400, 800.0, 800.0))
    }

    @Test
    fun `a tap finds the nearest station within a finger's width`() {
        val stations = RailMap(JsonObject.of(JsonReader.read(MAP))).points
        assertEquals("A", Viewport.stationAt(stations, 100.0, 100.0, 5.0)?.name)
        assertEquals("A", Viewport.stationAt(stations, 86.0, 100.0, 5.0)?.name)
        assertNull(Viewport.stationAt(stations, 84.0, 100.0, 5.0))
        assertEquals("B", Viewport.stationAt(stations, 250.0, 110.0, 5.0)?.name, "in its label")
        assertEquals(45.0, Viewport.distance(stations[0].marks[1], 45.0, 100.0), "from the edge of the circle")
    }

    @Test
    fun `states are values`() {
        val answer = """{"recognitionId":"r","jobId":"r","width":200,"height":100,"candidates":[
            {"tag":"cup","score":0.9,"itemId":"i","tagId":"1","xMin":-5,"yMin":25,"xMax":100,"yMax":100}]}"""
        val state = RecognitionState.of(Detection(JsonObject.of(JsonReader.read(answer))))
        val candidate = CandidateState("i", "cup", 0.9, BoxState(0.0, 0.25, 0.5, 1.0))
        assertEquals(RecognitionState.Done("r", listOf(candidate)), state)
        assertEquals(false, state.rated("i", false).candidates[0].verdict)
        assertNull(state.candidates[0].verdict)
        assertEquals(0.25f, DataSetState("n", "building", 1, 4).share)
        assertEquals(0f, DataSetState("n", "queued", 0, 0).share)
    }

    @Test
    fun `failures that waiting cures can be tried again`() {
        assertTrue(RecognitionState.of(kaisatsu.error.TransportException("no network", null)).canRetry)
        val refused = kaisatsu.error.Failure(403, "201", "the key may not do this", "id-1", null).toException()
        assertEquals(RecognitionState.Failed("the key may not do this", false, "id-1"), RecognitionState.of(refused))
        assertFalse(RecognitionState.of(refused).canRetry)
    }

    private companion object {
        fun point(code: Int, name: String, x: Int) = """{"Prefecture":{"code":"13","Name":"東京都"},
            "GeoPoint":{"gcs":"wgs84","lati":"","longi":"","lati_d":"35.1","longi_d":"139.1"},
            "Station":{"code":"$code","Name":"$name","Yomi":"","Type":"train"},"MarkCoordinates":[
            {"shape":"rect","x":"${x + 20}","y":"100","width":"60","height":"20","chamfering":"false","isText":"true"},
            {"shape":"circle","x":"$x","y":"100","r":"10","chamfering":"false","isText":"false"}]}"""

        val MAP = """{"id":"m","x":"0","y":"0","width":"500","height":"500",
            "Point":[${point(1, "A", 100)},${point(2, "B", 200)}]}"""
    }
}
