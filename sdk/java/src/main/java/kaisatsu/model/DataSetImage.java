package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** An image of a dataset. */
public final class DataSetImage {
    private final String imageId;
    private final String url;
    private final String tag;
    private final String outcome;
    private final String detail;
    private final boolean deleted;
    private final String name;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public DataSetImage(JsonObject json) {
        this.imageId = json.needString("imageId");
        this.url = json.needString("url");
        this.tag = json.needString("tag");
        this.outcome = json.needString("outcome");
        this.detail = json.needString("detail");
        this.deleted = json.has("deleted") && json.needFlag("deleted");
        this.name = json.has("name") ? json.needString("name") : "";
    }

    /**
     * What names it.
     *
     * @return the value
     */
    public String getImageId() {
        return imageId;
    }

    /**
     * Where it comes from; empty for a stored image.
     *
     * @return the value
     */
    public String getUrl() {
        return url;
    }

    /**
     * What it shows.
     *
     * @return the value
     */
    public String getTag() {
        return tag;
    }

    /**
     * Such as {@code pending}, {@code fetched}, {@code notFound}.
     *
     * @return the value
     */
    public String getOutcome() {
        return outcome;
    }

    /**
     * What was wrong, in words; empty when nothing was.
     *
     * @return the value
     */
    public String getDetail() {
        return detail;
    }

    /**
     * Whether it was deleted from the storage area since. The dataset goes on recognising with it.
     *
     * @return the value
     */
    public boolean isDeleted() {
        return deleted;
    }

    /**
     * The user's name for it in the storage area, such as a file name; empty when it has none there.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }
}
