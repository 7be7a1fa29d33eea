package kaisatsu.error;

/** The answer is not what the contract says: not JSON, not UTF-8, too large, a field missing or of another kind. */
public final class MalformedAnswerException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates one for a part of an answer.
     *
     * @param message what is wrong
     */
    public MalformedAnswerException(String message) {
        super(message, null);
    }

    /**
     * Creates one for a whole answer.
     *
     * @param message   what is wrong
     * @param status    the HTTP status
     * @param requestId the request's id, or null
     */
    public MalformedAnswerException(String message, int status, String requestId) {
        super(new Failure(status, null, message, requestId, null));
    }
}
