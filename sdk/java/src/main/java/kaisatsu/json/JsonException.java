package kaisatsu.json;

/** Text that is not JSON, or JSON of another shape than was expected. */
public final class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Whether the text ended too early. */
    private final boolean cutShort;

    JsonException(String message, boolean cutShort) {
        super(message);
        this.cutShort = cutShort;
    }

    /**
     * Whether more text could have made it right: the sign of an answer that was cut.
     *
     * @return true if the text ended in the middle of a value
     */
    public boolean isCutShort() {
        return cutShort;
    }
}
