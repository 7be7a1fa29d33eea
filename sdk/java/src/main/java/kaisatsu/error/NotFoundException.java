package kaisatsu.error;

/** No such map, station, recognition, image, dataset or operation (404). */
public final class NotFoundException extends KaisatsuException {
    private static final long serialVersionUID = 1L;

    NotFoundException(Failure failure) {
        super(failure);
    }
}
