import kaisatsu.Kaisatsu;
import kaisatsu.StationNearQuery;
import kaisatsu.model.Station;

/** Which stations are around me? */
public class AroundMe {
    public static void main(String[] arguments) {
        Kaisatsu kaisatsu = Kaisatsu.builder(System.getenv("KAISATSU_URL"), System.getenv("KAISATSU_KEY")).build();
        StationNearQuery query = new StationNearQuery(35.6812, 139.7671).radius(800).limit(5);
        for (Station station : kaisatsu.maps().stationNear(query).getPoints()) {
            System.out.println(station.getName() + " (" + station.getYomi() + "): " + station.getDistance() + " m");
        }
    }
}
