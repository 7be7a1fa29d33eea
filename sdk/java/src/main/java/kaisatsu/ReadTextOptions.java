package kaisatsu;

/** How to read text. */
public final class ReadTextOptions extends Parameters<ReadTextOptions> {
    /**
     * Creates one.
     */
    public ReadTextOptions() {}

    /**
     * Sets it: {@code ja} or {@code en}; if not set, whatever the model reads.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public ReadTextOptions language(String language) {
        return set("language", language);
    }
}
