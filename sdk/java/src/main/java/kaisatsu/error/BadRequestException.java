package kaisatsu.error;

/** The request is wrong (400, 405, 415 and other 4xx): the message names the parameter. */
public final class BadRequestException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    BadRequestException(Failure failure) {
        super(failure);
    }
}
