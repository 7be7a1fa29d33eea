package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** What is where in a picture. */
public final class Detection {
    private final String recognitionId;
    private final String jobId;
    private final int width;
    private final int height;
    private final List<ThingCandidate> candidates;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Detection(JsonObject json) {
        this.recognitionId = json.needString("recognitionId");
        this.jobId = json.needString("jobId");
        this.width = json.needInteger("width");
        this.height = json.needInteger("height");
        this.candidates = json.needList("candidates", ThingCandidate::new);
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
     * Width of the picture as sent, in pixels.
     *
     * @return the value
     */
    public int getWidth() {
        return width;
    }

    /**
     * Height of the picture as sent, in pixels.
     *
     * @return the value
     */
    public int getHeight() {
        return height;
    }

    /**
     * The things, surest first.
     *
     * @return an unmodifiable list
     */
    public List<ThingCandidate> getCandidates() {
        return candidates;
    }
}
