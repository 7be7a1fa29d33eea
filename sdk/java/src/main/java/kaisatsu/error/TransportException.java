package kaisatsu.error;

/** No answer came: the server cannot be reached, or the connection broke. */
public final class TransportException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates one.
     *
     * @param message what went wrong
     * @param cause   why, or null
     */
    public TransportException(String message, Throwable cause) {
        super(message, cause);
    }
}
