package kaisatsu.android

import kaisatsu.CourseQuery
import kaisatsu.RailMapDataQuery
import kaisatsu.RailMapListQuery
import kaisatsu.RailMapQuery
import kaisatsu.StationNearQuery
import kaisatsu.StationQuery
import kaisatsu.model.Course
import kaisatsu.model.ImageData
import kaisatsu.model.ListedMap
import kaisatsu.model.RailMap
import kaisatsu.model.Station
import kaisatsu.model.StationPage
import kotlinx.coroutines.flow.Flow

/** Route maps and stations. Coordinates are those of WGS 84 unless a query says otherwise. */
class MapOperations internal constructor(private val calls: Calls) {
    /** Lists route maps. */
    suspend fun railmapList(query: RailMapListQuery = RailMapListQuery()): List<ListedMap> =
        calls { maps().railmapList(query) }

    /** The stations of a route map. */
    suspend fun railmapDetail(query: RailMapQuery): RailMap = calls { maps().railmapDetail(query) }

    /** The picture of a window of a route map. */
    suspend fun railmapData(query: RailMapDataQuery): ImageData = calls { maps().railmapData(query) }

    /** Finds stations, a page of them. */
    suspend fun stations(query: StationQuery): StationPage = calls { maps().stations(query) }

    /** Finds stations, all of them; a page is asked for when it is collected. */
    fun eachStation(query: StationQuery): Flow<Station> = calls.pages { maps().eachStation(query) }

    /** Finds the stations around a place, nearest first. */
    suspend fun stationNear(query: StationNearQuery): StationPage = calls { maps().stationNear(query) }

    /** Searches ways between stations, the best first. */
    suspend fun searchCourse(query: CourseQuery): List<Course> = calls { maps().searchCourse(query) }
}
