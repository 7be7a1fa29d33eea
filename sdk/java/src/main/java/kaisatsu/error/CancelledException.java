package kaisatsu.error;

/** The caller cancelled the call, or its thread was interrupted. */
public final class CancelledException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates one.
     *
     * @param message what went wrong
     * @param cause   why, or null
     */
    public CancelledException(String message, Throwable cause) {
        super(message, cause);
    }
}
