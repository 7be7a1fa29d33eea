package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** How often a candidate was right in a stretch of time. */
public final class FeedbackTotal {
    private final String task;
    private final String model;
    private final String subject;
    private final String from;
    private final long valid;
    private final long invalid;
    private final double precision;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public FeedbackTotal(JsonObject json) {
        this.task = json.needString("task");
        this.model = json.needString("model");
        this.subject = json.needString("subject");
        this.from = json.needString("from");
        this.valid = json.needWhole("valid");
        this.invalid = json.needWhole("invalid");
        this.precision = json.needNumber("precision");
    }

    /**
     * What was asked for.
     *
     * @return the value
     */
    public String getTask() {
        return task;
    }

    /**
     * The model, dataset or collection.
     *
     * @return the value
     */
    public String getModel() {
        return model;
    }

    /**
     * What the candidate stands for.
     *
     * @return the value
     */
    public String getSubject() {
        return subject;
    }

    /**
     * When the stretch begins, in UTC.
     *
     * @return the value
     */
    public String getFrom() {
        return from;
    }

    /**
     * How often it was right.
     *
     * @return the value
     */
    public long getValid() {
        return valid;
    }

    /**
     * How often it was not.
     *
     * @return the value
     */
    public long getInvalid() {
        return invalid;
    }

    /**
     * The share that was right, 0 to 1.
     *
     * @return the value
     */
    public double getPrecision() {
        return precision;
    }
}
