package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** Some of the tags of a model. */
public final class TagPage {
    private final int max;
    private final int offset;
    private final List<Tag> tags;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public TagPage(JsonObject json) {
        this.max = json.needInteger("max");
        this.offset = json.needInteger("offset");
        this.tags = json.needList("tags", Tag::new);
    }

    /**
     * How many the request matches.
     *
     * @return the value
     */
    public int getMax() {
        return max;
    }

    /**
     * The number of the first one here, from 1.
     *
     * @return the value
     */
    public int getOffset() {
        return offset;
    }

    /**
     * The tags.
     *
     * @return an unmodifiable list
     */
    public List<Tag> getTags() {
        return tags;
    }
}
