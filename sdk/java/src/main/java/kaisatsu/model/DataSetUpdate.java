package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A version of a dataset that does not answer yet. */
public final class DataSetUpdate {
    private final String state;
    private final Progress progress;
    private final String reason;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public DataSetUpdate(JsonObject json) {
        this.state = json.needString("state");
        this.progress = new Progress(json.needObject("progress"));
        this.reason = json.string("reason");
    }

    /**
     * One of {@code queued}, {@code building} or {@code failed}.
     *
     * @return the value
     */
    public String getState() {
        return state;
    }

    /**
     * How many images came to what.
     *
     * @return the value
     */
    public Progress getProgress() {
        return progress;
    }

    /**
     * Why it failed.
     *
     * @return the value, or null when there is none
     */
    public String getReason() {
        return reason;
    }
}
