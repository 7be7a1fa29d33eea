package kaisatsu;

/** What to store with an image. */
public final class UploadOptions extends Parameters<UploadOptions> {
    /**
     * Creates one.
     */
    public UploadOptions() {}

    /**
     * Sets it: what it shows.
     *
     * @param tag the value, or null for the server's default
     * @return this
     */
    public UploadOptions tag(String tag) {
        return set("tag", tag);
    }

    /**
     * Sets it: what the user calls it.
     *
     * @param name the value, or null for the server's default
     * @return this
     */
    public UploadOptions name(String name) {
        return set("name", name);
    }
}
