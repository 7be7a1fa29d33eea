package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** A way from one station to another. */
public final class Course {
    private final int timeOnBoard;
    private final int timeWalk;
    private final int timeOther;
    private final int transferCount;
    private final int distance;
    private final List<Station> points;
    private final List<CourseLine> lines;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Course(JsonObject json) {
        this.timeOnBoard = json.needInteger("timeOnBoard");
        this.timeWalk = json.needInteger("timeWalk");
        this.timeOther = json.needInteger("timeOther");
        this.transferCount = json.needInteger("transferCount");
        this.distance = json.needInteger("distance");
        this.points = json.needList("Point", Station::new);
        this.lines = json.needList("Line", CourseLine::new);
    }

    /**
     * Minutes in trains.
     *
     * @return the value
     */
    public int getTimeOnBoard() {
        return timeOnBoard;
    }

    /**
     * Minutes on foot between stations.
     *
     * @return the value
     */
    public int getTimeWalk() {
        return timeWalk;
    }

    /**
     * Minutes of changes.
     *
     * @return the value
     */
    public int getTimeOther() {
        return timeOther;
    }

    /**
     * How often one changes.
     *
     * @return the value
     */
    public int getTransferCount() {
        return transferCount;
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
     * Where it begins, where one changes, where it ends.
     *
     * @return an unmodifiable list
     */
    public List<Station> getPoints() {
        return points;
    }

    /**
     * What one takes from each point to the next.
     *
     * @return an unmodifiable list
     */
    public List<CourseLine> getLines() {
        return lines;
    }
}
