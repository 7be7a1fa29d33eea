package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** An image of a user's storage area. */
public final class StoredImage {
    private final String imageId;
    private final String sha256;
    private final long bytes;
    private final int width;
    private final int height;
    private final String tag;
    private final String name;
    private final String createdAt;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public StoredImage(JsonObject json) {
        this.imageId = json.needString("imageId");
        this.sha256 = json.needString("sha256");
        this.bytes = json.needWhole("bytes");
        this.width = json.needInteger("width");
        this.height = json.needInteger("height");
        this.tag = json.needString("tag");
        this.name = json.needString("name");
        this.createdAt = json.needString("createdAt");
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
     * The SHA-256 of its bytes.
     *
     * @return the value
     */
    public String getSha256() {
        return sha256;
    }

    /**
     * How many bytes it has.
     *
     * @return the value
     */
    public long getBytes() {
        return bytes;
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
     * What it shows; empty when nobody has said.
     *
     * @return the value
     */
    public String getTag() {
        return tag;
    }

    /**
     * What the user calls it; empty when nobody has said.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }

    /**
     * When it came, in UTC.
     *
     * @return the value
     */
    public String getCreatedAt() {
        return createdAt;
    }
}
