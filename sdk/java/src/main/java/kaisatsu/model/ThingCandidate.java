package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A thing in a picture. */
public final class ThingCandidate {
    private final String tag;
    private final double score;
    private final String itemId;
    private final String tagId;
    private final double xMin;
    private final double yMin;
    private final double xMax;
    private final double yMax;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public ThingCandidate(JsonObject json) {
        this.tag = json.needString("tag");
        this.score = json.needNumber("score");
        this.itemId = json.needString("itemId");
        this.tagId = json.string("tagId");
        this.xMin = json.needNumber("xMin");
        this.yMin = json.needNumber("yMin");
        this.xMax = json.needNumber("xMax");
        this.yMax = json.needNumber("yMax");
    }

    /**
     * The name of its kind.
     *
     * @return the value
     */
    public String getTag() {
        return tag;
    }

    /**
     * How sure the engine is, 0 to 1.
     *
     * @return the value
     */
    public double getScore() {
        return score;
    }

    /**
     * The id of this candidate, for feedback.
     *
     * @return the value
     */
    public String getItemId() {
        return itemId;
    }

    /**
     * What identifies its kind.
     *
     * @return the value, or null when there is none
     */
    public String getTagId() {
        return tagId;
    }

    /**
     * Left edge, in pixels of the picture as sent.
     *
     * @return the value
     */
    public double getXMin() {
        return xMin;
    }

    /**
     * Top edge.
     *
     * @return the value
     */
    public double getYMin() {
        return yMin;
    }

    /**
     * Right edge.
     *
     * @return the value
     */
    public double getXMax() {
        return xMax;
    }

    /**
     * Bottom edge.
     *
     * @return the value
     */
    public double getYMax() {
        return yMax;
    }
}
