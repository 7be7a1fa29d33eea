package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** How often candidates were right. */
public final class FeedbackTotals {
    private final List<FeedbackTotal> totals;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public FeedbackTotals(JsonObject json) {
        this.totals = json.needList("totals", FeedbackTotal::new);
    }

    /**
     * One for each candidate and stretch of time with a verdict.
     *
     * @return an unmodifiable list
     */
    public List<FeedbackTotal> getTotals() {
        return totals;
    }
}
