package kaisatsu.error;

/** The server is not ready or overloaded (503). */
public final class UnavailableException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    /** Seconds, or null. */
    private final Double retryAfter;

    UnavailableException(Failure failure) {
        super(failure);
        this.retryAfter = failure.getRetryAfter();
    }

    /**
     * How long the server asks to wait.
     *
     * @return seconds, or null when it did not say
     */
    public Double getRetryAfter() {
        return retryAfter;
    }
}
