package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** The items of the catalogue that a picture shows. */
public final class Recognition {
    private final String recognitionId;
    private final List<ItemCandidate> candidates;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Recognition(JsonObject json) {
        this.recognitionId = json.needString("recognitionId");
        this.candidates = json.needList("candidates", ItemCandidate::new);
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
     * The items, surest first.
     *
     * @return an unmodifiable list
     */
    public List<ItemCandidate> getCandidates() {
        return candidates;
    }
}
