package kaisatsu.error;

/** The key may not do this, or the key is disabled, or a quota on space is used up (403). */
public final class ForbiddenException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    ForbiddenException(Failure failure) {
        super(failure);
    }
}
