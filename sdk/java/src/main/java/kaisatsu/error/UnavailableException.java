package kaisatsu.error;

/** The server is not ready or overloaded (503). */
public final class UnavailableException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    UnavailableException(Failure failure) {
        super(failure);
    }
}
