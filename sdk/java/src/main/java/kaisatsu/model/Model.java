package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** A model. */
public final class Model {
    private final String name;
    private final String title;
    private final String description;
    private final String licence;
    private final String source;
    private final boolean usable;
    private final boolean loaded;
    private final List<String> languages;
    private final Long tags;
    private final InputSize input;
    private final boolean text;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Model(JsonObject json) {
        this.name = json.needString("name");
        this.title = json.needString("title");
        this.description = json.string("description");
        this.licence = json.needString("licence");
        this.source = json.needString("source");
        this.usable = json.needFlag("usable");
        this.loaded = json.needFlag("loaded");
        this.languages = json.strings("languages");
        this.tags = json.whole("tags");
        this.input = json.has("input") ? new InputSize(json.needObject("input")) : null;
        this.text = json.has("text") && json.needFlag("text");
    }

    /**
     * What {@code modelName} takes.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }

    /**
     * What people call it.
     *
     * @return the value
     */
    public String getTitle() {
        return title;
    }

    /**
     * What it knows and what it does not.
     *
     * @return the value, or null when there is none
     */
    public String getDescription() {
        return description;
    }

    /**
     * The licence of its weights.
     *
     * @return the value
     */
    public String getLicence() {
        return licence;
    }

    /**
     * Where its weights come from.
     *
     * @return the value
     */
    public String getSource() {
        return source;
    }

    /**
     * Whether it can be used now.
     *
     * @return true if so
     */
    public boolean isUsable() {
        return usable;
    }

    /**
     * Whether it is in memory.
     *
     * @return true if so
     */
    public boolean isLoaded() {
        return loaded;
    }

    /**
     * The languages that its tags have names in.
     *
     * @return an unmodifiable list
     */
    public List<String> getLanguages() {
        return languages;
    }

    /**
     * How many tags it can answer with.
     *
     * @return the value, or null when there is none
     */
    public Long getTags() {
        return tags;
    }

    /**
     * The pixels of its input.
     *
     * @return the value, or null when there is none
     */
    public InputSize getInput() {
        return input;
    }

    /**
     * Whether it has a text encoder: similar images can be searched for by a text with its vectors.
     *
     * @return true if so
     */
    public boolean hasText() {
        return text;
    }
}
