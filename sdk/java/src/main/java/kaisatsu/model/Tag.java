package kaisatsu.model;

import java.util.Map;
import kaisatsu.json.JsonObject;

/** A tag that a model can answer with. */
public final class Tag {
    private final String tagId;
    private final String tag;
    private final Map<String, Object> names;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Tag(JsonObject json) {
        this.tagId = json.needString("tagId");
        this.tag = json.needString("tag");
        this.names = json.fields("names");
    }

    /**
     * What identifies it.
     *
     * @return the value
     */
    public String getTagId() {
        return tagId;
    }

    /**
     * Its name in the language that was asked for.
     *
     * @return the value
     */
    public String getTag() {
        return tag;
    }

    /**
     * Its names by language.
     *
     * @return an unmodifiable map
     */
    public Map<String, Object> getNames() {
        return names;
    }
}
