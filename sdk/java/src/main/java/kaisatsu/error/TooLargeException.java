package kaisatsu.error;

/** The picture has too many bytes or pixels (413). */
public final class TooLargeException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    TooLargeException(Failure failure) {
        super(failure);
    }
}
