package kaisatsu.http;

import java.io.IOException;
import java.io.OutputStream;

/** The body of a request. */
public interface HttpBody {
    /**
     * What it is.
     *
     * @return the value of the header {@code Content-Type}
     */
    String getContentType();

    /**
     * How long it is.
     *
     * @return bytes, or -1 if that is not known
     */
    long getLength();

    /**
     * Whether it can be written more than once. A body that comes out of a stream cannot.
     *
     * @return true if it can
     */
    boolean isRepeatable();

    /**
     * Writes it.
     *
     * @param out where to; it stays open
     * @throws IOException if it cannot be read or written
     */
    void writeTo(OutputStream out) throws IOException;
}
