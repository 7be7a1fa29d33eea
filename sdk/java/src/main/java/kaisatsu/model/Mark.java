package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A shape of a station on a map, in coordinates of the map. */
public final class Mark {
    private final String shape;
    private final double x;
    private final double y;
    private final Double width;
    private final Double height;
    private final Double r;
    private final boolean chamfering;
    private final boolean text;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Mark(JsonObject json) {
        this.shape = json.needString("shape");
        this.x = json.needNumber("x");
        this.y = json.needNumber("y");
        this.width = json.number("width");
        this.height = json.number("height");
        this.r = json.number("r");
        this.chamfering = json.needFlag("chamfering");
        this.text = json.needFlag("isText");
    }

    /**
     * One of {@code rect} or {@code circle}.
     *
     * @return the value
     */
    public String getShape() {
        return shape;
    }

    /**
     * Left edge of a rect, centre of a circle.
     *
     * @return the value
     */
    public double getX() {
        return x;
    }

    /**
     * Top edge of a rect, centre of a circle.
     *
     * @return the value
     */
    public double getY() {
        return y;
    }

    /**
     * Width of a rect.
     *
     * @return the value, or null when there is none
     */
    public Double getWidth() {
        return width;
    }

    /**
     * Height of a rect.
     *
     * @return the value, or null when there is none
     */
    public Double getHeight() {
        return height;
    }

    /**
     * Radius of a circle.
     *
     * @return the value, or null when there is none
     */
    public Double getR() {
        return r;
    }

    /**
     * Whether its corners are cut.
     *
     * @return true if so
     */
    public boolean isChamfering() {
        return chamfering;
    }

    /**
     * Whether it is the name on the map.
     *
     * @return true if so
     */
    public boolean isText() {
        return text;
    }
}
