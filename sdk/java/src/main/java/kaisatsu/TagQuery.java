package kaisatsu;

/** Which tags of a model to list. */
public final class TagQuery extends Parameters<TagQuery> {
    /**
     * Creates one.
     */
    public TagQuery() {}

    /**
     * Sets it: the language of the names.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public TagQuery language(String language) {
        return set("language", language);
    }

    /**
     * Sets it: tags with this in their name.
     *
     * @param text the value, or null for the server's default
     * @return this
     */
    public TagQuery text(String text) {
        return set("text", text);
    }

    /**
     * Sets it: how many at most in one answer.
     *
     * @param limit the value, or null for the server's default
     * @return this
     */
    public TagQuery limit(Integer limit) {
        return set("limit", limit);
    }

    /**
     * Sets it: the number of the first one, from 1.
     *
     * @param offset the value, or null for the server's default
     * @return this
     */
    public TagQuery offset(Integer offset) {
        return set("offset", offset);
    }
}
