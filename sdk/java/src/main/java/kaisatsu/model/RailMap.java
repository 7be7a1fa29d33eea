package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** A window of a route map with the stations in it. */
public final class RailMap {
    private final String id;
    private final double x;
    private final double y;
    private final double width;
    private final double height;
    private final List<Station> points;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public RailMap(JsonObject json) {
        this.id = json.needString("id");
        this.x = json.needNumber("x");
        this.y = json.needNumber("y");
        this.width = json.needNumber("width");
        this.height = json.needNumber("height");
        this.points = json.needList("Point", Station::new);
    }

    /**
     * The id of the map.
     *
     * @return the value
     */
    public String getId() {
        return id;
    }

    /**
     * Left edge of the window.
     *
     * @return the value
     */
    public double getX() {
        return x;
    }

    /**
     * Top edge of the window.
     *
     * @return the value
     */
    public double getY() {
        return y;
    }

    /**
     * Width of the window.
     *
     * @return the value
     */
    public double getWidth() {
        return width;
    }

    /**
     * Height of the window.
     *
     * @return the value
     */
    public double getHeight() {
        return height;
    }

    /**
     * The stations, by code.
     *
     * @return an unmodifiable list
     */
    public List<Station> getPoints() {
        return points;
    }
}
