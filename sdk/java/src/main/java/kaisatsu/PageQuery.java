package kaisatsu;

/** Which page of a list to answer. */
public final class PageQuery extends Parameters<PageQuery> {
    /**
     * Creates one.
     */
    public PageQuery() {}

    /**
     * Sets it: {@code nextCursor} of the answer before.
     *
     * @param cursor the value, or null for the server's default
     * @return this
     */
    public PageQuery cursor(String cursor) {
        return set("cursor", cursor);
    }

    /**
     * Sets it: how many at most in one answer.
     *
     * @param limit the value, or null for the server's default
     * @return this
     */
    public PageQuery limit(Integer limit) {
        return set("limit", limit);
    }
}
