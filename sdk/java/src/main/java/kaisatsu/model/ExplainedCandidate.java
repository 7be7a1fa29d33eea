package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** A candidate, and what feedback made of it. */
public final class ExplainedCandidate {
    private final String itemId;
    private final String subject;
    private final String name;
    private final double score;
    private final double baseScore;
    private final List<MovedBy> movedBy;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public ExplainedCandidate(JsonObject json) {
        this.itemId = json.needString("itemId");
        this.subject = json.needString("subject");
        this.name = json.needString("name");
        this.score = json.needNumber("score");
        this.baseScore = json.needNumber("baseScore");
        this.movedBy = json.needList("movedBy", MovedBy::new);
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
     * What it stands for.
     *
     * @return the value
     */
    public String getSubject() {
        return subject;
    }

    /**
     * What people read.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }

    /**
     * The score of the answer.
     *
     * @return the value
     */
    public double getScore() {
        return score;
    }

    /**
     * The score without feedback.
     *
     * @return the value
     */
    public double getBaseScore() {
        return baseScore;
    }

    /**
     * The verdicts that moved it, the weightiest first.
     *
     * @return an unmodifiable list
     */
    public List<MovedBy> getMovedBy() {
        return movedBy;
    }
}
