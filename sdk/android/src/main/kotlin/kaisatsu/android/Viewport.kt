package kaisatsu.android

import kaisatsu.model.Mark
import kaisatsu.model.Station
import kotlin.math.floor
import kotlin.math.hypot
import kotlin.math.max

/**
 * The part of a map that is on the screen.
 *
 * @property x the left edge, in coordinates of the map
 * @property y the top edge
 * @property scale pixels of the screen for a unit of the map
 */
data class Viewport(val x: Double, val y: Double, val scale: Double) {
    /** A square of the map, which the server draws as one picture: [column] and [row] count from the upper left. */
    data class Tile(val column: Int, val row: Int) {
        /** Its left edge on the map. */
        val x: Int get() = column * SIDE

        /** Its top edge on the map. */
        val y: Int get() = row * SIDE
    }

    /** Moved by so many pixels of the screen, without leaving a map of [width] by [height]. */
    fun movedBy(dx: Float, dy: Float, screenWidth: Int, screenHeight: Int, width: Double, height: Double): Viewport =
        copy(
            x = (x + dx / scale).coerceIn(0.0, max(0.0, width - screenWidth / scale)),
            y = (y + dy / scale).coerceIn(0.0, max(0.0, height - screenHeight / scale)),
        )

    /** The tiles that a screen shows of a map of [width] by [height]. */
    fun tiles(screenWidth: Int, screenHeight: Int, width: Double, height: Double): List<Tile> {
        val columns = range(x, screenWidth, width)
        return range(y, screenHeight, height).flatMap { row -> columns.map { column -> Tile(column, row) } }
    }

    private fun range(from: Double, pixels: Int, length: Double): IntRange {
        val end = minOf(from + pixels / scale, length)
        return floor(from / SIDE).toInt()..floor(max(from, end - EDGE) / SIDE).toInt()
    }

    /** A point of the screen on the map. */
    fun toMap(screenX: Float, screenY: Float): Pair<Double, Double> = Pair(x + screenX / scale, y + screenY / scale)

    companion object {
        /** The side of a tile in units of the map; the server draws at most 500. */
        const val SIDE: Int = 400
        private const val EDGE = 1e-9

        /** The station at a point of the map: the nearest whose marks are within [slop] of it. */
        fun stationAt(stations: List<Station>, x: Double, y: Double, slop: Double): Station? =
            stations
                .mapNotNull { station -> station.marks?.minOfOrNull { distance(it, x, y) }?.let { Pair(station, it) } }
                .filter { it.second <= slop }
                .minByOrNull { it.second }
                ?.first

        /** 0 inside of the mark. */
        internal fun distance(mark: Mark, x: Double, y: Double): Double {
            val radius = mark.r
            if (radius != null) return max(0.0, hypot(x - mark.x, y - mark.y) - radius)
            val dx = max(mark.x - x, x - mark.x - (mark.width ?: 0.0))
            val dy = max(mark.y - y, y - mark.y - (mark.height ?: 0.0))
            return hypot(max(0.0, dx), max(0.0, dy))
        }
    }
}
