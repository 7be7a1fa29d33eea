package kaisatsu.android

import android.content.Context
import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.graphics.Canvas
import android.graphics.Paint
import android.graphics.RectF
import android.util.AttributeSet
import android.util.LruCache
import android.view.GestureDetector
import android.view.MotionEvent
import android.view.View
import kaisatsu.RailMapDataQuery
import kaisatsu.RailMapQuery
import kaisatsu.error.KaisatsuException
import kaisatsu.model.ListedMap
import kaisatsu.model.Station
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

/**
 * Shows a route map that can be moved by a finger, and tells which station was tapped. [show] starts it. The map comes
 * in tiles, which are asked for when they come into sight.
 */
class RailMapView @JvmOverloads constructor(context: Context, attributes: AttributeSet? = null) :
    View(context, attributes) {
    /** Is told which station was tapped. */
    var onStation: (Station) -> Unit = {}

    /** Is told of a tile that could not be loaded; it is asked for again when it comes into sight again. */
    var onFailure: (KaisatsuException) -> Unit = {}

    private class Shown(val kit: KaisatsuKit, val map: ListedMap, val scope: CoroutineScope)

    private var shown: Shown? = null
    private var viewport = Viewport(0.0, 0.0, resources.displayMetrics.density.toDouble())
    private val pictures = LruCache<Viewport.Tile, Bitmap>(TILES_IN_MEMORY)
    private val stations = HashMap<Viewport.Tile, List<Station>>()
    private val loading = HashSet<Viewport.Tile>()
    private val paint = Paint(Paint.FILTER_BITMAP_FLAG)

    private val gestures = GestureDetector(
        context,
        object : GestureDetector.SimpleOnGestureListener() {
            override fun onDown(event: MotionEvent) = true

            override fun onScroll(first: MotionEvent?, now: MotionEvent, dx: Float, dy: Float): Boolean {
                val map = shown?.map ?: return false
                viewport = viewport.movedBy(dx, dy, width, height, map.width, map.height)
                invalidate()
                return true
            }

            override fun onSingleTapUp(event: MotionEvent): Boolean {
                val (x, y) = viewport.toMap(event.x, event.y)
                val slop = FINGER_DP * resources.displayMetrics.density / viewport.scale
                val station = Viewport.stationAt(stations.values.flatten(), x, y, slop) ?: return false
                performClick()
                onStation(station)
                return true
            }
        },
    )

    /**
     * Shows a map, with a place of it in the upper left corner.
     *
     * @param scope what the tiles are loaded in; its dispatcher must be that of the main thread
     */
    fun show(kit: KaisatsuKit, map: ListedMap, scope: CoroutineScope, x: Double = 0.0, y: Double = 0.0) {
        shown = Shown(kit, map, scope)
        viewport = viewport.copy(x = x, y = y)
        pictures.evictAll()
        stations.clear()
        invalidate()
    }

    override fun onDraw(canvas: Canvas) {
        super.onDraw(canvas)
        val shown = shown ?: return
        for (tile in viewport.tiles(width, height, shown.map.width, shown.map.height)) {
            val picture = pictures[tile]
            if (picture == null) {
                load(shown, tile)
            } else {
                val left = ((tile.x - viewport.x) * viewport.scale).toFloat()
                val top = ((tile.y - viewport.y) * viewport.scale).toFloat()
                val scale = (viewport.scale / PIXELS).toFloat()
                val place = RectF(left, top, left + picture.width * scale, top + picture.height * scale)
                canvas.drawBitmap(picture, null, place, paint)
            }
        }
    }

    private fun load(shown: Shown, tile: Viewport.Tile) {
        if (!loading.add(tile)) return
        shown.scope.launch {
            try {
                val wide = minOf(Viewport.SIDE, (shown.map.width - tile.x).toInt())
                val high = minOf(Viewport.SIDE, (shown.map.height - tile.y).toInt())
                val id = shown.map.id
                val drawn = shown.kit.maps.railmapData(
                    RailMapDataQuery(id).x(tile.x).y(tile.y).width(wide).height(high).scale(PIXELS),
                )
                val window = RailMapQuery(id).x(tile.x).y(tile.y).width(wide).height(high)
                val points = shown.kit.maps.railmapDetail(window).points
                val bytes = drawn.toBytes()
                val picture = withContext(Dispatchers.Default) { BitmapFactory.decodeByteArray(bytes, 0, bytes.size) }
                if (picture != null && this@RailMapView.shown === shown) {
                    pictures.put(tile, picture)
                    stations[tile] = points
                    invalidate()
                }
            } catch (e: KaisatsuException) {
                onFailure(e)
            } finally {
                loading.remove(tile)
            }
        }
    }

    override fun onTouchEvent(event: MotionEvent): Boolean = gestures.onTouchEvent(event) || super.onTouchEvent(event)

    private companion object {
        const val TILES_IN_MEMORY = 24
        const val PIXELS = 2
        const val FINGER_DP = 16f
    }
}
