package kaisatsu.error;

/** The server failed (5xx): its log has the request under the request id. */
public final class ServerErrorException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    ServerErrorException(Failure failure) {
        super(failure);
    }
}
