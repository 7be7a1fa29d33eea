package kaisatsu.json;

/** Text that is not JSON, or JSON of another shape than was expected. */
public final class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    JsonException(String message) {
        super(message);
    }
}
