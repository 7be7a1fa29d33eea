package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** An image of a collection. */
public final class CollectionImage {
    private final String imageId;
    private final String imageUrl;
    private final String thumbnailUrl;
    private final String tag;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public CollectionImage(JsonObject json) {
        this.imageId = json.needString("imageId");
        this.imageUrl = json.needString("imageUrl");
        this.thumbnailUrl = json.string("thumbnailUrl");
        this.tag = json.needString("tag");
    }

    /**
     * The operator's own id of it.
     *
     * @return the value
     */
    public String getImageId() {
        return imageId;
    }

    /**
     * Where it is found; empty when nobody has said so.
     *
     * @return the value
     */
    public String getImageUrl() {
        return imageUrl;
    }

    /**
     * The address of a small picture of it on the server, which takes a key; null when there is none.
     *
     * @return the value
     */
    public String getThumbnailUrl() {
        return thumbnailUrl;
    }

    /**
     * What it is tagged with; empty for nothing.
     *
     * @return the value
     */
    public String getTag() {
        return tag;
    }
}
