package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** Some of the stations that a request finds. */
public final class StationPage {
    private final int max;
    private final int offset;
    private final List<Station> points;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public StationPage(JsonObject json) {
        this.max = json.needInteger("max");
        this.offset = json.needInteger("offset");
        this.points = json.needList("Point", Station::new);
    }

    /**
     * How many it finds.
     *
     * @return the value
     */
    public int getMax() {
        return max;
    }

    /**
     * The number of the first one here, from 1.
     *
     * @return the value
     */
    public int getOffset() {
        return offset;
    }

    /**
     * The stations.
     *
     * @return an unmodifiable list
     */
    public List<Station> getPoints() {
        return points;
    }
}
