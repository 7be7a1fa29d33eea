package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** An image that was stored. */
public final class UploadedImage {
    private final String imageId;
    private final String sha256;
    private final int width;
    private final int height;
    private final String tag;
    private final String name;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public UploadedImage(JsonObject json) {
        this.imageId = json.needString("imageId");
        this.sha256 = json.needString("sha256");
        this.width = json.needInteger("width");
        this.height = json.needInteger("height");
        this.tag = json.has("tag") ? json.needString("tag") : "";
        this.name = json.has("name") ? json.needString("name") : "";
    }

    /**
     * What names it from now on.
     *
     * @return the value
     */
    public String getImageId() {
        return imageId;
    }

    /**
     * The SHA-256 of its bytes.
     *
     * @return the value
     */
    public String getSha256() {
        return sha256;
    }

    /**
     * Its width in pixels.
     *
     * @return the value
     */
    public int getWidth() {
        return width;
    }

    /**
     * Its height in pixels.
     *
     * @return the value
     */
    public int getHeight() {
        return height;
    }

    /**
     * The tag that is kept: of the same bytes uploaded again, the first one stays. Empty when it has none.
     *
     * @return the value
     */
    public String getTag() {
        return tag;
    }

    /**
     * The name that is kept, as the tag is. Empty when it has none.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }
}
