package kaisatsu;

/** Where to search for pictures that are alike. */
public final class SimilarOptions extends Parameters<SimilarOptions> {
    /**
     * Creates one.
     */
    public SimilarOptions() {}

    /**
     * Sets it: a public collection.
     *
     * @param collection the value, or null for the server's default
     * @return this
     */
    public SimilarOptions collection(String collection) {
        return set("collection", collection);
    }

    /**
     * Sets it: a dataset of the user's instead; needs a token.
     *
     * @param dataSetId the value, or null for the server's default
     * @return this
     */
    public SimilarOptions dataSetId(String dataSetId) {
        return set("dataSetId", dataSetId);
    }

    /**
     * Sets it: the user's token.
     *
     * @param token the value, or null for the server's default
     * @return this
     */
    public SimilarOptions token(String token) {
        return set("token", token);
    }

    /**
     * Sets it: how many candidates at most, 1 to 50.
     *
     * @param numOfCandidates the value, or null for the server's default
     * @return this
     */
    public SimilarOptions numOfCandidates(Integer numOfCandidates) {
        return set("numOfCandidates", numOfCandidates);
    }

    /**
     * Sets it: the least score, 0 to 1.
     *
     * @param minScore the value, or null for the server's default
     * @return this
     */
    public SimilarOptions minScore(Double minScore) {
        return set("minScore", minScore);
    }
}
