package kaisatsu.error;

/** What a server said when it refused a request. */
public final class Failure {
    private final int status;
    private final String code;
    private final String message;
    private final String requestId;
    private final Double retryAfter;

    /**
     * Creates a failure.
     *
     * @param status     the HTTP status
     * @param code       the contract's code, or null
     * @param message    the server's sentence, or null
     * @param requestId  the request's id, or null
     * @param retryAfter the seconds to wait before another try, or null
     */
    public Failure(int status, String code, String message, String requestId, Double retryAfter) {
        this.status = status;
        this.code = code;
        this.message = message == null || message.isEmpty() ? "the server answered with status " + status : message;
        this.requestId = requestId;
        this.retryAfter = retryAfter;
    }

    /**
     * The exception for this failure.
     *
     * @return one of the subclasses of {@link KaisatsuException}
     */
    public KaisatsuException toException() {
        switch (status) {
            case 401:
                return new UnauthorisedException(this);
            case 403:
                return new ForbiddenException(this);
            case 404:
                return new NotFoundException(this);
            case 409:
                return new ConflictException(this);
            case 413:
                return new TooLargeException(this);
            case 429:
                return new RateLimitedException(this);
            case 503:
                return new UnavailableException(this);
            default:
                return status >= 400 && status < 500 ? new BadRequestException(this) : new ServerErrorException(this);
        }
    }

    /**
     * The status.
     *
     * @return the HTTP status
     */
    public int getStatus() {
        return status;
    }

    /**
     * The code.
     *
     * @return the contract's code, or null
     */
    public String getCode() {
        return code;
    }

    /**
     * The server's sentence.
     *
     * @return a sentence, never null
     */
    public String getMessage() {
        return message;
    }

    /**
     * The id of the request.
     *
     * @return the id, or null
     */
    public String getRequestId() {
        return requestId;
    }

    /**
     * How long to wait before another try.
     *
     * @return seconds, or null when the server did not say
     */
    public Double getRetryAfter() {
        return retryAfter;
    }
}
