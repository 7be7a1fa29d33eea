package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** A line of text. */
public final class LineCandidate {
    private final String text;
    private final double score;
    private final String itemId;
    private final List<Corner> corners;
    private final boolean vertical;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public LineCandidate(JsonObject json) {
        this.text = json.needString("text");
        this.score = json.needNumber("score");
        this.itemId = json.needString("itemId");
        this.corners = json.needList("corners", Corner::new);
        this.vertical = json.needFlag("vertical");
    }

    /**
     * What it says.
     *
     * @return the value
     */
    public String getText() {
        return text;
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
     * Its four corners, from its upper left to the right.
     *
     * @return an unmodifiable list
     */
    public List<Corner> getCorners() {
        return corners;
    }

    /**
     * Whether it is a column of upright letters, such as Japanese ones.
     *
     * @return true if so
     */
    public boolean isVertical() {
        return vertical;
    }
}
