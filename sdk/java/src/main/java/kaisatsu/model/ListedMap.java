package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** A route map in a list. */
public final class ListedMap {
    private final String id;
    private final String name;
    private final double width;
    private final double height;
    private final List<Station> points;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public ListedMap(JsonObject json) {
        this.id = json.needString("id");
        this.name = json.needString("Name");
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
     * Its name.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }

    /**
     * Its width.
     *
     * @return the value
     */
    public double getWidth() {
        return width;
    }

    /**
     * Its height.
     *
     * @return the value
     */
    public double getHeight() {
        return height;
    }

    /**
     * The stations that were asked for, or else the one at its centre.
     *
     * @return an unmodifiable list
     */
    public List<Station> getPoints() {
        return points;
    }
}
