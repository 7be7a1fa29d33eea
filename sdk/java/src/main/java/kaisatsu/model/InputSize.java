package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** The pixels of a model's input. */
public final class InputSize {
    private final int width;
    private final int height;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public InputSize(JsonObject json) {
        this.width = json.needInteger("width");
        this.height = json.needInteger("height");
    }

    /**
     * Its width.
     *
     * @return the value
     */
    public int getWidth() {
        return width;
    }

    /**
     * Its height.
     *
     * @return the value
     */
    public int getHeight() {
        return height;
    }
}
