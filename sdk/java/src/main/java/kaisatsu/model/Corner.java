package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A corner, in pixels of the picture as sent. */
public final class Corner {
    private final double x;
    private final double y;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Corner(JsonObject json) {
        this.x = json.needNumber("x");
        this.y = json.needNumber("y");
    }

    /**
     * From the left edge.
     *
     * @return the value
     */
    public double getX() {
        return x;
    }

    /**
     * From the top edge.
     *
     * @return the value
     */
    public double getY() {
        return y;
    }
}
