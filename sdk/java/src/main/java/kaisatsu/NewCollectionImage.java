package kaisatsu;

/** An image to add to a collection. */
public final class NewCollectionImage extends Parameters<NewCollectionImage> {
    /**
     * Creates one.
     *
     * @param collection the collection; it is created if there is none of that name
     * @param imageId the operator's own id of the image; one of the same id is replaced
     * @param image the picture; only its vector is stored
     */
    public NewCollectionImage(String collection, String imageId, Picture image) {
        need("collection", collection);
        need("imageId", imageId);
        need("image", image);
    }

    /**
     * Sets it: what it is tagged with.
     *
     * @param tag the value, or null for the server's default
     * @return this
     */
    public NewCollectionImage tag(String tag) {
        return set("tag", tag);
    }

    /**
     * Sets it: where people find it.
     *
     * @param imageUrl the value, or null for the server's default
     * @return this
     */
    public NewCollectionImage imageUrl(String imageUrl) {
        return set("imageUrl", imageUrl);
    }

    /**
     * Sets it: the model whose vectors are compared, for a new collection.
     *
     * @param modelName the value, or null for the server's default
     * @return this
     */
    public NewCollectionImage modelName(String modelName) {
        return set("modelName", modelName);
    }
}
