package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A verdict that moved a candidate. */
public final class MovedBy {
    private final boolean valid;
    private final double by;
    private final String itemId;
    private final String recognitionId;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public MovedBy(JsonObject json) {
        this.valid = json.needFlag("isValid");
        this.by = json.needNumber("by");
        this.itemId = json.string("itemId");
        this.recognitionId = json.string("recognitionId");
    }

    /**
     * What it says.
     *
     * @return true if so
     */
    public boolean isValid() {
        return valid;
    }

    /**
     * How far it moved the candidate.
     *
     * @return the value
     */
    public double getBy() {
        return by;
    }

    /**
     * The candidate that it was given on.
     *
     * @return the value, or null when there is none
     */
    public String getItemId() {
        return itemId;
    }

    /**
     * The recognition that it was given on.
     *
     * @return the value, or null when there is none
     */
    public String getRecognitionId() {
        return recognitionId;
    }
}
