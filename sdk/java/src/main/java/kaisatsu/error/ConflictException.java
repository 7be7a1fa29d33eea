package kaisatsu.error;

/** The dataset is still being built (409): try again when it is ready. */
public final class ConflictException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    ConflictException(Failure failure) {
        super(failure);
    }
}
