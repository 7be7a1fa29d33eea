package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** Some of the items of the catalogue. */
public final class ItemPage {
    private final List<Item> items;
    private final String nextCursor;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public ItemPage(JsonObject json) {
        this.items = json.needList("items", Item::new);
        this.nextCursor = json.string("nextCursor");
    }

    /**
     * In the order in which they were first added.
     *
     * @return an unmodifiable list
     */
    public List<Item> getItems() {
        return items;
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
