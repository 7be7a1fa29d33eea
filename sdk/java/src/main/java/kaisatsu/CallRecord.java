package kaisatsu;

/** What a log may know of one request: nothing that is secret, no key, no token, no query. */
public final class CallRecord {
    private final String method;
    private final String path;
    private final int attempt;
    private final int status;
    private final long durationMillis;
    private final String requestId;
    private final String failure;

    CallRecord(String method, String path, int attempt, int status, long durationMillis, String requestId,
            String failure) {
        this.method = method;
        this.path = path;
        this.attempt = attempt;
        this.status = status;
        this.durationMillis = durationMillis;
        this.requestId = requestId;
        this.failure = failure;
    }

    /**
     * The method.
     *
     * @return {@code GET}, {@code POST} or {@code DELETE}
     */
    public String getMethod() {
        return method;
    }

    /**
     * The path, without the query.
     *
     * @return the path
     */
    public String getPath() {
        return path;
    }

    /**
     * The number of the attempt.
     *
     * @return 1 for the first
     */
    public int getAttempt() {
        return attempt;
    }

    /**
     * The status.
     *
     * @return the HTTP status, or 0 when there was no answer
     */
    public int getStatus() {
        return status;
    }

    /**
     * How long it took.
     *
     * @return milliseconds from connecting to the last byte
     */
    public long getDurationMillis() {
        return durationMillis;
    }

    /**
     * The id of the request.
     *
     * @return what the server's log has it under, or null
     */
    public String getRequestId() {
        return requestId;
    }

    /**
     * What went wrong.
     *
     * @return the kind of the failure, such as {@code SocketException}, or null when there was an answer
     */
    public String getFailure() {
        return failure;
    }

    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(method).append(' ').append(path).append(' ');
        line.append(failure == null ? String.valueOf(status) : failure);
        line.append(' ').append(durationMillis).append(" ms");
        if (attempt > 1) {
            line.append(" attempt ").append(attempt);
        }
        return requestId == null ? line.toString() : line.append(" request ").append(requestId).toString();
    }
}
