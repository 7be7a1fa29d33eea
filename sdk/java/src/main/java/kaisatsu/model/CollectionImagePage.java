package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** Some of the images of a collection. */
public final class CollectionImagePage {
    private final List<CollectionImage> images;
    private final String nextCursor;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public CollectionImagePage(JsonObject json) {
        this.images = json.needList("images", CollectionImage::new);
        this.nextCursor = json.string("nextCursor");
    }

    /**
     * In the order in which they were first added.
     *
     * @return an unmodifiable list
     */
    public List<CollectionImage> getImages() {
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
