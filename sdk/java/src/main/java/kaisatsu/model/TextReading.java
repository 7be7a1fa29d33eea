package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** What is written in a picture. */
public final class TextReading {
    private final String recognitionId;
    private final int width;
    private final int height;
    private final List<LineCandidate> candidates;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public TextReading(JsonObject json) {
        this.recognitionId = json.needString("recognitionId");
        this.width = json.needInteger("width");
        this.height = json.needInteger("height");
        this.candidates = json.needList("candidates", LineCandidate::new);
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
     * The lines, in reading order.
     *
     * @return an unmodifiable list
     */
    public List<LineCandidate> getCandidates() {
        return candidates;
    }
}
