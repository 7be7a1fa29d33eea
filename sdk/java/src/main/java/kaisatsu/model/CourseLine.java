package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** What one takes between two points of a way. */
public final class CourseLine {
    private final String name;
    private final String type;
    private final String color;
    private final int timeOnBoard;
    private final int stopStationCount;
    private final int distance;
    private final List<Station> stops;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public CourseLine(JsonObject json) {
        this.name = json.needString("Name");
        this.type = json.needString("Type");
        this.color = json.needString("Color");
        this.timeOnBoard = json.needInteger("timeOnBoard");
        this.stopStationCount = json.needInteger("stopStationCount");
        this.distance = json.needInteger("distance");
        this.stops = json.needList("Stop", Station::new);
    }

    /**
     * The name of the line.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }

    /**
     * The kind of transport; {@code walk} for a walk.
     *
     * @return the value
     */
    public String getType() {
        return type;
    }

    /**
     * Colour as {@code #rrggbb}; empty for a walk.
     *
     * @return the value
     */
    public String getColor() {
        return color;
    }

    /**
     * Minutes.
     *
     * @return the value
     */
    public int getTimeOnBoard() {
        return timeOnBoard;
    }

    /**
     * How many stops there are between.
     *
     * @return the value
     */
    public int getStopStationCount() {
        return stopStationCount;
    }

    /**
     * Length in units of 100 metres.
     *
     * @return the value
     */
    public int getDistance() {
        return distance;
    }

    /**
     * The stops between the two points.
     *
     * @return an unmodifiable list
     */
    public List<Station> getStops() {
        return stops;
    }
}
