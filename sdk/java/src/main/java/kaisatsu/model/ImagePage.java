package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** Some of a user's images. */
public final class ImagePage {
    private final List<StoredImage> images;
    private final String nextCursor;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public ImagePage(JsonObject json) {
        this.images = json.needList("images", StoredImage::new);
        this.nextCursor = json.string("nextCursor");
    }

    /**
     * Oldest first.
     *
     * @return an unmodifiable list
     */
    public List<StoredImage> getImages() {
        return images;
    }

    /**
     * What to ask for those that follow with.
     *
     * @return the value, or null when there is none
     */
    public String getNextCursor() {
        return nextCursor;
    }
}
