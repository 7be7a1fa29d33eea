package kaisatsu.error;

/**
 * The dataset is still being built: try again when it is ready. Or an idempotency key was used for another request
 * (409).
 */
public final class ConflictException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    ConflictException(Failure failure) {
        super(failure);
    }
}
