package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** Pictures that are like a picture. */
public final class SimilarImages {
    private final String recognitionId;
    private final String jobId;
    private final List<LikenessCandidate> candidates;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public SimilarImages(JsonObject json) {
        this.recognitionId = json.needString("recognitionId");
        this.jobId = json.needString("jobId");
        this.candidates = json.needList("candidates", LikenessCandidate::new);
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
     * Most alike first.
     *
     * @return an unmodifiable list
     */
    public List<LikenessCandidate> getCandidates() {
        return candidates;
    }
}
