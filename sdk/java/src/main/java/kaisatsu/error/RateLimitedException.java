package kaisatsu.error;

/** A rate limit or a quota of requests is used up (429). */
public final class RateLimitedException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    /** Seconds, or null. */
    private final Double retryAfter;

    RateLimitedException(Failure failure) {
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
