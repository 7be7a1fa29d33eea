package kaisatsu.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URL;
import java.net.URLConnection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;

/**
 * The default transport: {@link HttpURLConnection}, which servers and Android both have. It keeps connections open,
 * and follows the proxy settings of the platform (the system properties {@code http.proxyHost} and its like, or what
 * Android's settings say) unless it is given a proxy.
 *
 * <p>Two habits of the JDK's implementation are dealt with here. It repeats a POST by itself when the connection ends
 * without an answer, but not one that is streamed, so every body is streamed. It does not hand out the body of a 401 to
 * a streamed request, so the same address is asked once more in a form that cannot have an effect. It also repeats
 * GET once when the connection breaks before the answer begins; this cannot be prevented, and does no harm.
 */
public final class UrlTransport implements Transport {
    private final Proxy proxy;
    private final SSLSocketFactory sockets;

    /** Creates a transport with the settings of the platform. */
    public UrlTransport() {
        this(null, null);
    }

    /**
     * Creates a transport with settings of its own.
     *
     * @param proxy   the proxy, {@link Proxy#NO_PROXY} for none, or null for the platform's settings
     * @param sockets makes TLS connections, for example with a certificate authority of one's own, or null for the
     *                platform's
     */
    public UrlTransport(Proxy proxy, SSLSocketFactory sockets) {
        this.proxy = proxy;
        this.sockets = sockets;
    }

    @Override
    public HttpResponse send(HttpRequest request, Abort abort) throws IOException {
        HttpURLConnection connection = open(request);
        abort.onAbort(connection::disconnect);
        HttpBody body = request.getBody();
        if (body != null) {
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Type", body.getContentType());
            if (body.getLength() >= 0) {
                connection.setFixedLengthStreamingMode(body.getLength());
            } else {
                connection.setChunkedStreamingMode(0);
            }
        }
        connect(connection);
        if (body != null) {
            try (OutputStream out = connection.getOutputStream()) {
                body.writeTo(out);
            }
        }
        HttpResponse answer = answer(connection);
        boolean lost = body != null && answer.getStatus() == 401 && connection.getErrorStream() == null;
        return lost ? reason(request, answer, abort) : answer;
    }

    private HttpURLConnection open(HttpRequest request) throws IOException {
        URL url = new URL(request.getUrl());
        URLConnection opened = proxy == null ? url.openConnection() : url.openConnection(proxy);
        HttpURLConnection connection = (HttpURLConnection) opened;
        if (sockets != null && connection instanceof HttpsURLConnection) {
            ((HttpsURLConnection) connection).setSSLSocketFactory(sockets);
        }
        connection.setRequestMethod(request.getMethod());
        connection.setInstanceFollowRedirects(false); // a redirect would take the key elsewhere
        connection.setUseCaches(false);
        connection.setConnectTimeout(request.getTimeoutMillis());
        connection.setReadTimeout(request.getTimeoutMillis());
        // Android would ask for gzip and hide the length; answers are small and pictures do not get smaller.
        connection.setRequestProperty("Accept-Encoding", "identity");
        for (Map.Entry<String, String> header : request.getHeaders().entrySet()) {
            connection.setRequestProperty(header.getKey(), header.getValue());
        }
        return connection;
    }

    private static void connect(HttpURLConnection connection) throws NotSentException {
        try {
            connection.connect();
        } catch (IOException e) {
            throw new NotSentException(e);
        }
    }

    private static HttpResponse answer(final HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        Map<String, String> headers = new HashMap<>();
        for (Map.Entry<String, List<String>> header : connection.getHeaderFields().entrySet()) {
            if (header.getKey() != null && !header.getValue().isEmpty()) {
                headers.put(header.getKey(), header.getValue().get(0));
            }
        }
        InputStream body = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
        if (body != null && status != 204 && status != 304) {
            body = counted(connection, body);
        }
        return new HttpResponse(status, headers, body) {
            @Override
            public void close(boolean whole) {
                if (whole) {
                    super.close(true);
                } else {
                    connection.disconnect();
                }
            }
        };
    }

    /** Asks what the 401 said: the key and the token are checked before the type of the body, which is wrong here. */
    private HttpResponse reason(HttpRequest request, HttpResponse refused, Abort abort) {
        try {
            HttpURLConnection connection = open(request);
            abort.onAbort(connection::disconnect);
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Type", "text/plain");
            try (OutputStream out = connection.getOutputStream()) {
                out.write('?');
            }
            HttpResponse answer = answer(connection);
            if (answer.getStatus() == refused.getStatus()) {
                return answer;
            }
            answer.close(false);
        } catch (IOException e) {
            // The status alone has to do.
        }
        return refused;
    }

    private static InputStream counted(HttpURLConnection connection, InputStream body) throws IOException {
        String length = connection.getHeaderField("Content-Length");
        if (length == null && connection.getHeaderField("Transfer-Encoding") == null) {
            length = "1"; // a connection that ends within the headers looks like an answer without a body
        }
        return length == null ? body : new Counted(body, length);
    }

    /** Says when a body is shorter than announced, which HttpURLConnection does not. */
    private static final class Counted extends FilterInputStream {
        private long left;

        Counted(InputStream in, String length) throws IOException {
            super(in);
            try {
                left = Long.parseLong(length.trim());
            } catch (NumberFormatException e) {
                throw new IOException("the answer has no proper length", e);
            }
        }

        @Override
        public int read() throws IOException {
            return count(in.read(), 1);
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = in.read(bytes, from, length);
            return count(read, read);
        }

        private int count(int result, int read) throws IOException {
            if (result >= 0) {
                left -= read;
            } else if (left > 0) {
                throw new IOException("the connection ended " + left + " bytes too early");
            }
            return result;
        }
    }
}
