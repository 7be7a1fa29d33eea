package kaisatsu.http;

import java.io.IOException;

/** No connection could be made, so that nothing of the request has been sent. */
public final class NotSentException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates one.
     *
     * @param cause why there is no connection
     */
    public NotSentException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
