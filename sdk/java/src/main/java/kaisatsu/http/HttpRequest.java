package kaisatsu.http;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A request, ready to be sent. Its URL may contain secrets: never log it. */
public final class HttpRequest {
    private final String method;
    private final String url;
    private final Map<String, String> headers;
    private final HttpBody body;
    private final int timeoutMillis;

    /**
     * Creates a request.
     *
     * @param method        {@code GET}, {@code POST} or {@code DELETE}
     * @param url           the whole address with its query
     * @param headers       headers by name, without those that describe the body
     * @param body          the body, or null for none
     * @param timeoutMillis for how long to wait for a connection, and for the next bytes
     */
    public HttpRequest(String method, String url, Map<String, String> headers, HttpBody body, int timeoutMillis) {
        this.method = method;
        this.url = url;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        this.body = body;
        this.timeoutMillis = timeoutMillis;
    }

    /**
     * The method.
     *
     * @return {@code GET}, {@code POST} or {@code DELETE}
     */
    public String getMethod() {
        return method;
    }

    /**
     * The address.
     *
     * @return the whole address with its query
     */
    public String getUrl() {
        return url;
    }

    /**
     * The headers.
     *
     * @return headers by name, unmodifiable
     */
    public Map<String, String> getHeaders() {
        return headers;
    }

    /**
     * The body.
     *
     * @return the body, or null for none
     */
    public HttpBody getBody() {
        return body;
    }

    /**
     * The time for connecting, and for the next bytes of the answer.
     *
     * @return milliseconds, at least 1
     */
    public int getTimeoutMillis() {
        return timeoutMillis;
    }

    @Override
    public String toString() {
        int query = url.indexOf('?');
        return method + " " + (query < 0 ? url : url.substring(0, query));
    }
}
