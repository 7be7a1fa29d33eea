package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** What a picture shows. */
public final class Classification {
    private final String recognitionId;
    private final String jobId;
    private final List<TagCandidate> candidates;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Classification(JsonObject json) {
        this.recognitionId = json.needString("recognitionId");
        this.jobId = json.needString("jobId");
        this.candidates = json.needList("candidates", TagCandidate::new);
    }

    /**
     * The id of this recognition, for feedback.
     *
     * @return the value
     */
    public String getRecognitionId() {
        return recognitionId;
    }

    /**
     * The same value.
     *
     * @return the value
     */
    public String getJobId() {
        return jobId;
    }

    /**
     * The categories, best first.
     *
     * @return an unmodifiable list
     */
    public List<TagCandidate> getCandidates() {
        return candidates;
    }
}
