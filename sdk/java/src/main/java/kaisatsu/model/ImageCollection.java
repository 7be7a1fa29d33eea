package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A public collection of images. */
public final class ImageCollection {
    private final String collection;
    private final long images;
    private final String modelName;
    private final String createdAt;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public ImageCollection(JsonObject json) {
        this.collection = json.needString("collection");
        this.images = json.needWhole("images");
        this.modelName = json.needString("modelName");
        this.createdAt = json.needString("createdAt");
    }

    /**
     * Its name.
     *
     * @return the value
     */
    public String getCollection() {
        return collection;
    }

    /**
     * How many images it has.
     *
     * @return the value
     */
    public long getImages() {
        return images;
    }

    /**
     * The model whose vectors are compared.
     *
     * @return the value
     */
    public String getModelName() {
        return modelName;
    }

    /**
     * When it was created, in UTC.
     *
     * @return the value
     */
    public String getCreatedAt() {
        return createdAt;
    }
}
