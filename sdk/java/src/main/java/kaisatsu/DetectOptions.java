package kaisatsu;

/** How to find things in a picture. */
public final class DetectOptions extends Parameters<DetectOptions> {
    /**
     * Creates one.
     */
    public DetectOptions() {}

    /**
     * Sets it: the model; {@code coco} if not set.
     *
     * @param modelName the value, or null for the server's default
     * @return this
     */
    public DetectOptions modelName(String modelName) {
        return set("modelName", modelName);
    }

    /**
     * Sets it: how many candidates at most, 1 to 100.
     *
     * @param numOfCandidates the value, or null for the server's default
     * @return this
     */
    public DetectOptions numOfCandidates(Integer numOfCandidates) {
        return set("numOfCandidates", numOfCandidates);
    }

    /**
     * Sets it: the least score, 0 to 1.
     *
     * @param minScore the value, or null for the server's default
     * @return this
     */
    public DetectOptions minScore(Double minScore) {
        return set("minScore", minScore);
    }

    /**
     * Sets it: {@code normal}, or {@code high} for small things.
     *
     * @param accuracy the value, or null for the server's default
     * @return this
     */
    public DetectOptions accuracy(String accuracy) {
        return set("accuracy", accuracy);
    }

    /**
     * Sets it: the language of the tags.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public DetectOptions language(String language) {
        return set("language", language);
    }
}
