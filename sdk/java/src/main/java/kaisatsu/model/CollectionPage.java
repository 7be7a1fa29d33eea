package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** Some of the collections. */
public final class CollectionPage {
    private final List<ImageCollection> collections;
    private final String nextCursor;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public CollectionPage(JsonObject json) {
        this.collections = json.needList("collections", ImageCollection::new);
        this.nextCursor = json.string("nextCursor");
    }

    /**
     * Oldest first.
     *
     * @return an unmodifiable list
     */
    public List<ImageCollection> getCollections() {
        return collections;
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
