package kaisatsu;

import java.util.List;
import java.util.Map;
import kaisatsu.json.JsonObject;
import kaisatsu.model.Course;
import kaisatsu.model.ImageData;
import kaisatsu.model.ListedMap;
import kaisatsu.model.RailMap;
import kaisatsu.model.Station;
import kaisatsu.model.StationPage;

/** Route maps and stations. Coordinates are those of WGS 84 unless a query says otherwise. */
public final class Maps extends Group {
    Maps(Caller caller) {
        super(caller);
    }

    private Call get(String operation) {
        return Call.get("/" + caller.settings.routeService + "/v1/" + operation);
    }

    /**
     * Lists route maps.
     *
     * @param query which
     * @return the maps, by id
     */
    public List<ListedMap> railmapList(RailMapListQuery query) {
        return call(get("railmapList").with(query.values())).readSet(set -> set.needList("RailMap", ListedMap::new));
    }

    /**
     * Lists all route maps.
     *
     * @return the maps, by id
     */
    public List<ListedMap> railmapList() {
        return railmapList(new RailMapListQuery());
    }

    /**
     * The stations of a route map.
     *
     * @param query which map, and which of its stations
     * @return the window that was searched, and the stations in it
     */
    public RailMap railmapDetail(RailMapQuery query) {
        return call(get("railmapDetail").with(query.values())).readSet(set -> new RailMap(set.needObject("RailMap")));
    }

    /**
     * The picture of a window of a route map.
     *
     * @param query which map, and which window
     * @return the picture
     */
    public ImageData railmapData(RailMapDataQuery query) {
        return call(get("railmapData").with(query.values())).image();
    }

    /**
     * Finds stations.
     *
     * @param query which
     * @return a page of them
     */
    public StationPage stations(StationQuery query) {
        return stations(query.values());
    }

    private StationPage stations(Map<String, Object> query) {
        return call(get("station").with(query)).readSet(StationPage::new);
    }

    /**
     * Finds stations, all of them, page after page.
     *
     * @param query which; its limit is the size of a page
     * @return the stations
     */
    public Iterable<Station> eachStation(StationQuery query) {
        final Map<String, Object> values = query.values();
        return new Pages<Station>() {
            @Override
            Page<Station> page(Object from) {
                StationPage page = stations(at(values, "offset", from));
                int size = page.getPoints().size();
                return new Page<>(page.getPoints(), after(page.getOffset(), size, page.getMax()));
            }
        };
    }

    /**
     * Finds the stations around a place, nearest first.
     *
     * @param query where
     * @return the stations, each with its distance
     */
    public StationPage stationNear(StationNearQuery query) {
        return call(get("stationNear").with(query.values())).readSet(StationPage::new);
    }

    /**
     * Searches ways between stations. There is no timetable: times are those of a typical weekday ride.
     *
     * @param query from where to where
     * @return the ways, the best first
     */
    public List<Course> searchCourse(CourseQuery query) {
        Map<String, Object> values = query.values();
        if (values.get("via") instanceof List) {
            values.put("via", join((List<?>) values.get("via"), ","));
        }
        JsonObject.Reader<Course> course = entry -> new Course(entry.needObject("Route"));
        return call(get("searchCourse").with(values)).readSet(set -> set.needList("Course", course));
    }
}
