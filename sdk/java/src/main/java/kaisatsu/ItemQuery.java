package kaisatsu;

/** Which items of the catalogue to list. */
public final class ItemQuery extends Parameters<ItemQuery> {
    /**
     * Creates one.
     */
    public ItemQuery() {}

    /**
     * Sets it: of this category.
     *
     * @param category the value, or null for the server's default
     * @return this
     */
    public ItemQuery category(String category) {
        return set("category", category);
    }

    /**
     * Sets it: the item of this id.
     *
     * @param id the value, or null for the server's default
     * @return this
     */
    public ItemQuery id(String id) {
        return set("id", id);
    }

    /**
     * Sets it: the items of this barcode.
     *
     * @param barcode the value, or null for the server's default
     * @return this
     */
    public ItemQuery barcode(String barcode) {
        return set("barcode", barcode);
    }

    /**
     * Sets it: {@code nextCursor} of the answer before.
     *
     * @param cursor the value, or null for the server's default
     * @return this
     */
    public ItemQuery cursor(String cursor) {
        return set("cursor", cursor);
    }

    /**
     * Sets it: how many at most in one answer.
     *
     * @param limit the value, or null for the server's default
     * @return this
     */
    public ItemQuery limit(Integer limit) {
        return set("limit", limit);
    }
}
