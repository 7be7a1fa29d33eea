package kaisatsu.model;

/** A picture that the server answered with. */
public final class ImageData {
    private final String contentType;
    private final byte[] bytes;

    /**
     * Creates one.
     *
     * @param contentType what it is
     * @param bytes       its bytes, which are not copied
     */
    public ImageData(String contentType, byte[] bytes) {
        this.contentType = contentType;
        this.bytes = bytes;
    }

    /**
     * What it is.
     *
     * @return such as {@code image/png}
     */
    public String getContentType() {
        return contentType;
    }

    /**
     * How many bytes it has.
     *
     * @return the number
     */
    public int getSize() {
        return bytes.length;
    }

    /**
     * Its bytes.
     *
     * @return a copy
     */
    public byte[] toBytes() {
        return bytes.clone();
    }
}
