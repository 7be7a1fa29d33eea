package kaisatsu.error;

/** The time for the call was over before the answer was there. */
public final class TimeoutException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates one.
     *
     * @param message what went wrong
     * @param cause   why, or null
     */
    public TimeoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
