package kaisatsu.error;

/** A rate limit or a quota of requests is used up (429). */
public final class RateLimitedException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    RateLimitedException(Failure failure) {
        super(failure);
    }
}
