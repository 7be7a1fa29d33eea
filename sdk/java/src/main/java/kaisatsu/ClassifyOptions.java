package kaisatsu;

/** How to classify a picture. */
public final class ClassifyOptions extends Parameters<ClassifyOptions> {
    /**
     * Creates one.
     */
    public ClassifyOptions() {
        set("gcs", "wgs84"); // the wire's own default is 400 metres off what a phone says
    }

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
     * Sets it: a dataset of the user's instead of a model, by its id or the user's own name of it; needs a token.
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

    /**
     * Sets it: where the picture was taken, a hint for models that know places; needs the longitude too.
     *
     * @param latitude decimal degrees, or null for no hint
     * @return this
     */
    public ClassifyOptions latitude(Double latitude) {
        return set("lati_d", latitude);
    }

    /**
     * Sets it: where the picture was taken; needs the latitude too.
     *
     * @param longitude decimal degrees, or null for no hint
     * @return this
     */
    public ClassifyOptions longitude(Double longitude) {
        return set("longi_d", longitude);
    }

    /**
     * Sets it: the geodetic system of that place and of places in the answer, {@code wgs84} if nothing else is set, or
     * {@code tokyo}.
     *
     * @param gcs the value, or null for the server's default
     * @return this
     */
    public ClassifyOptions gcs(String gcs) {
        return set("gcs", gcs);
    }
}
