package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** Why a recognition answered what it answered. */
public final class Explanation {
    private final String task;
    private final String model;
    private final String recognisedAt;
    private final List<ExplainedCandidate> candidates;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Explanation(JsonObject json) {
        this.task = json.needString("task");
        this.model = json.needString("model");
        this.recognisedAt = json.needString("recognisedAt");
        this.candidates = json.needList("candidates", ExplainedCandidate::new);
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
     * The model, dataset or collection that answered.
     *
     * @return the value
     */
    public String getModel() {
        return model;
    }

    /**
     * When, in UTC.
     *
     * @return the value
     */
    public String getRecognisedAt() {
        return recognisedAt;
    }

    /**
     * The candidates in the order of the answer.
     *
     * @return an unmodifiable list
     */
    public List<ExplainedCandidate> getCandidates() {
        return candidates;
    }
}
