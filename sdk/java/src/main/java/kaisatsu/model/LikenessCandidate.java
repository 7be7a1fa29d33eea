package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A picture that is alike. */
public final class LikenessCandidate {
    private final String imageId;
    private final String imageUrl;
    private final String thumbnailUrl;
    private final String tag;
    private final double score;
    private final String itemId;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public LikenessCandidate(JsonObject json) {
        this.imageId = json.needString("imageId");
        this.imageUrl = json.needString("imageUrl");
        this.thumbnailUrl = json.string("thumbnailUrl");
        this.tag = json.needString("tag");
        this.score = json.needNumber("score");
        this.itemId = json.needString("itemId");
    }

    /**
     * Its id in the collection or the dataset.
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

    /**
     * How sure the engine is, 0 to 1.
     *
     * @return the value
     */
    public double getScore() {
        return score;
    }

    /**
     * The id of this candidate, for feedback.
     *
     * @return the value
     */
    public String getItemId() {
        return itemId;
    }
}
