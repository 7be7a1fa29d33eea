package kaisatsu;

/** How to classify a picture. */
public final class ClassifyOptions extends Parameters<ClassifyOptions> {
    /**
     * Creates one.
     */
    public ClassifyOptions() {}

    /**
     * Sets it: the model; {@code general} if not set.
     *
     * @param modelName the value, or null for the server's default
     * @return this
     */
    public ClassifyOptions modelName(String modelName) {
        return set("modelName", modelName);
    }

    /**
     * Sets it: a dataset of the user's instead of a model; needs a token.
     *
     * @param dataSetId the value, or null for the server's default
     * @return this
     */
    public ClassifyOptions dataSetId(String dataSetId) {
        return set("dataSetId", dataSetId);
    }

    /**
     * Sets it: the user's token.
     *
     * @param token the value, or null for the server's default
     * @return this
     */
    public ClassifyOptions token(String token) {
        return set("token", token);
    }

    /**
     * Sets it: how many candidates at most, 1 to 50.
     *
     * @param numOfCandidates the value, or null for the server's default
     * @return this
     */
    public ClassifyOptions numOfCandidates(Integer numOfCandidates) {
        return set("numOfCandidates", numOfCandidates);
    }

    /**
     * Sets it: the language of the tags.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public ClassifyOptions language(String language) {
        return set("language", language);
    }
}
