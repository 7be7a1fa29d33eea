package kaisatsu.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** An answer whose body is still to be read. */
public class HttpResponse {
    private final int status;
    private final Map<String, String> headers = new TreeMap<>();
    private final InputStream body;

    /**
     * Creates an answer.
     *
     * @param status  the HTTP status
     * @param headers headers by name, in any case
     * @param body    the body, or null for none
     */
    public HttpResponse(int status, Map<String, String> headers, InputStream body) {
        this.status = status;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            this.headers.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue());
        }
        this.body = body == null ? new ByteArrayInputStream(new byte[0]) : body;
    }

    /**
     * The status.
     *
     * @return the HTTP status
     */
    public int getStatus() {
        return status;
    }

    /**
     * A header.
     *
     * @param name its name, in any case
     * @return its value, or null
     */
    public String getHeader(String name) {
        return headers.get(name.toLowerCase(Locale.ROOT));
    }

    /**
     * The body.
     *
     * @return the body as it arrives; a body that is shorter than announced ends with an {@link IOException}
     */
    public InputStream getBody() {
        return body;
    }

    /**
     * Ends the exchange.
     *
     * @param whole whether the body was read to its end, so that the connection may be used again
     */
    public void close(boolean whole) {
        try {
            body.close();
        } catch (IOException e) {
            // There is nothing left to lose.
        }
    }
}
