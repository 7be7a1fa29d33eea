package kaisatsu.error;

/**
 * Something that went wrong with a call. Every failure that this library reports is one of its subclasses; an
 * {@link IllegalArgumentException} or {@link NullPointerException} is a mistake of the calling program.
 *
 * <p>Where the server answered, the exception has its status, its code and its sentence, and always the request id
 * where there was one: the server's log has the request under this id.
 */
public class KaisatsuException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The HTTP status, or 0 when there was no answer. */
    private final int status;
    /** The contract's code, or null. */
    private final String code;
    /** What the server's log has the request under, or null. */
    private final String requestId;
    /** Seconds, or null. */
    private final Double retryAfter;

    /**
     * Creates one for an answer of the server.
     *
     * @param failure what the server said
     */
    protected KaisatsuException(Failure failure) {
        super(failure.getMessage());
        this.status = failure.getStatus();
        this.code = failure.getCode();
        this.requestId = failure.getRequestId();
        this.retryAfter = failure.getRetryAfter();
    }

    /**
     * Creates one for a call without an answer, or with one that cannot be used.
     *
     * @param message what went wrong
     * @param cause   why, or null
     */
    protected KaisatsuException(String message, Throwable cause) {
        super(message, cause);
        this.status = 0;
        this.code = null;
        this.requestId = null;
        this.retryAfter = null;
    }

    /**
     * The status of the answer.
     *
     * @return the HTTP status, or 0 when there was no answer
     */
    public int getStatus() {
        return status;
    }

    /**
     * The code of the failure, as in the server's documentation: {@code 117}, {@code W404}.
     *
     * @return the code, or null when the server gave none
     */
    public String getCode() {
        return code;
    }

    /**
     * The id of the request, which finds its line in the server's log.
     *
     * @return the id, or null when the server gave none
     */
    public String getRequestId() {
        return requestId;
    }

    /**
     * After how many seconds it makes sense to try again.
     *
     * @return seconds, or null where the server does not say
     */
    public Double getRetryAfter() {
        return retryAfter;
    }
}
