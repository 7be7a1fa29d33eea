import kaisatsu.StationNearQuery
import kaisatsu.android.KaisatsuKit
import kotlinx.coroutines.runBlocking

/** Which stations are around me? */
object AroundMe {
    @JvmStatic
    fun main(arguments: Array<String>) = runBlocking {
        val kaisatsu = KaisatsuKit(System.getenv("KAISATSU_URL"), System.getenv("KAISATSU_RESTRICTED_KEY"))
        val query = StationNearQuery(35.6812, 139.7671).radius(800).limit(5)
        for (station in kaisatsu.maps.stationNear(query).points) {
            println("${station.name} (${station.yomi}): ${station.distance} m")
        }
    }
}
