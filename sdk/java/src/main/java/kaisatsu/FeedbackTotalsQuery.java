package kaisatsu;

/** Which verdicts to count. */
public final class FeedbackTotalsQuery extends Parameters<FeedbackTotalsQuery> {
    /**
     * Creates one.
     */
    public FeedbackTotalsQuery() {}

    /**
     * Sets it: of this model, dataset or collection.
     *
     * @param modelName the value, or null for the server's default
     * @return this
     */
    public FeedbackTotalsQuery modelName(String modelName) {
        return set("modelName", modelName);
    }

    /**
     * Sets it: from this time on, in RFC 3339.
     *
     * @param since the value, or null for the server's default
     * @return this
     */
    public FeedbackTotalsQuery since(String since) {
        return set("since", since);
    }

    /**
     * Sets it: before this time, in RFC 3339.
     *
     * @param until the value, or null for the server's default
     * @return this
     */
    public FeedbackTotalsQuery until(String until) {
        return set("until", until);
    }

    /**
     * Sets it: how long a stretch of time is: {@code day} and so on.
     *
     * @param interval the value, or null for the server's default
     * @return this
     */
    public FeedbackTotalsQuery interval(String interval) {
        return set("interval", interval);
    }
}
