package kaisatsu.error;

/** The key or the token is missing, unknown, revoked or expired (401). */
public final class UnauthorisedException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    UnauthorisedException(Failure failure) {
        super(failure);
    }
}
