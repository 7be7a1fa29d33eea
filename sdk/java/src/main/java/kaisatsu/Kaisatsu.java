package kaisatsu;

import java.net.MalformedURLException;
import java.net.URL;
import kaisatsu.http.Transport;
import kaisatsu.http.UrlTransport;
import kaisatsu.model.Health;

/**
 * A client of a Kaisatsu server. Clients never change, and may be used by several threads at once.
 *
 * <pre>{@code
 * Kaisatsu client = Kaisatsu.builder("https://maps.example.org", key).build();
 * client.maps().stationNear(new StationNearQuery(35.69, 139.70).radius(500));
 * }</pre>
 *
 * <p>Methods block until the answer is there, and throw a {@link kaisatsu.error.KaisatsuException} if it is a failure.
 * {@code kaisatsu.server.AsyncKaisatsu} has the form with futures.
 */
public final class Kaisatsu {
    private final Settings settings;
    private final Caller caller;

    private Kaisatsu(Settings settings) {
        this.settings = settings;
        this.caller = new Caller(settings);
    }

    /**
     * Begins a client.
     *
     * @param baseUrl the server's address, such as {@code https://maps.example.org}
     * @param key     the application's key
     * @return a builder, which makes a client as it is
     * @throws IllegalArgumentException if the address is not one of http or https
     */
    public static Builder builder(String baseUrl, String key) {
        Settings settings = new Settings();
        settings.baseUrl = checked(baseUrl);
        settings.key = Group.text("key", key);
        settings.transport = new UrlTransport();
        return new Builder(settings);
    }

    private static String checked(String baseUrl) {
        URL url;
        try {
            url = new URL(baseUrl);
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(baseUrl + " is not an address", e);
        }
        boolean http = url.getProtocol().equals("http") || url.getProtocol().equals("https");
        if (!http || url.getHost().isEmpty() || url.getQuery() != null || url.getRef() != null) {
            throw new IllegalArgumentException(baseUrl + " is not the address of a server: http://… or https://…");
        }
        return baseUrl.replaceAll("/+$", "");
    }

    /**
     * Begins another client with the settings of this one.
     *
     * @return a builder
     */
    public Builder toBuilder() {
        return new Builder(settings.clone());
    }

    /**
     * The same client, whose calls end when somebody cancels.
     *
     * @param cancellation what to cancel with
     * @return another client, which costs nothing
     */
    public Kaisatsu cancelledBy(Cancellation cancellation) {
        Settings other = settings.clone();
        other.cancellation = cancellation;
        return new Kaisatsu(other);
    }

    /**
     * The same client for one call that creates something: uploading an image, creating a dataset, feedback, adding to
     * the catalogue or to a collection. The server does the work of the same request with the same key once within a
     * day. Every such call has a random key anyway, so that it can be sent again safely; a key of your own makes calls
     * safe that your program repeats, also after it was restarted.
     *
     * @param key 1 to 255 visible ASCII characters that are used for no other request, such as a UUID
     * @return another client, which costs nothing
     */
    public Kaisatsu withIdempotencyKey(String key) {
        Settings other = settings.clone();
        other.idempotencyKey = key;
        return new Kaisatsu(other);
    }

    /**
     * Route maps and stations.
     *
     * @return the operations
     */
    public Maps maps() {
        return new Maps(caller);
    }

    /**
     * Recognition of pictures, and feedback on it.
     *
     * @return the operations
     */
    public Recognitions recognition() {
        return new Recognitions(caller);
    }

    /**
     * Users' datasets.
     *
     * @return the operations
     */
    public Datasets datasets() {
        return new Datasets(caller);
    }

    /**
     * Images of users' storage areas.
     *
     * @return the operations
     */
    public Images images() {
        return new Images(caller);
    }

    /**
     * The catalogue of items that can be recognised.
     *
     * @return the operations
     */
    public Catalogue catalogue() {
        return new Catalogue(caller);
    }

    /**
     * Public collections of images.
     *
     * @return the operations
     */
    public Collections collections() {
        return new Collections(caller);
    }

    /**
     * Whether the server lives. Needs no key.
     *
     * @return how it is
     */
    public Health health() {
        return caller.call(Call.get("/healthz").withoutKey()).read(Health::new);
    }

    /**
     * Whether the server is ready for requests. Needs no key.
     *
     * @return how it is
     * @throws kaisatsu.error.UnavailableException if it is not
     */
    public Health ready() {
        return caller.call(Call.get("/readyz").withoutKey()).read(Health::new);
    }

    @Override
    public String toString() {
        return "Kaisatsu " + settings.baseUrl;
    }

    /** Makes clients. */
    public static final class Builder {
        private final Settings settings;

        private Builder(Settings settings) {
            this.settings = settings;
        }

        /**
         * Sets where the key goes.
         *
         * @param keyIn the header, if nothing else is set
         * @return this
         */
        public Builder keyIn(KeyIn keyIn) {
            settings.keyIn = keyIn;
            return this;
        }

        /**
         * Sets the first segment of the paths of the route map function.
         *
         * @param segment {@code route_service}, if nothing else is set
         * @return this
         */
        public Builder routeService(String segment) {
            settings.routeService = Call.encode(segment);
            return this;
        }

        /**
         * Sets the time for one attempt, from connecting to the last byte of the answer.
         *
         * @param seconds 30, if nothing else is set
         * @return this
         */
        public Builder timeout(double seconds) {
            settings.timeoutMillis = millis(seconds);
            return this;
        }

        /**
         * Sets the time for a call with all of its attempts and the waiting between them.
         *
         * @param seconds 120, if nothing else is set
         * @return this
         */
        public Builder totalTimeout(double seconds) {
            settings.totalTimeoutMillis = millis(seconds);
            return this;
        }

        private static long millis(double seconds) {
            if (!(seconds > 0 && seconds < 1e9)) {
                throw new IllegalArgumentException("a time must be more than 0 seconds");
            }
            return Math.max(1, Math.round(seconds * 1000));
        }

        /**
         * Sets how often a request is sent at most. What may have been received is sent again only where that makes
         * no difference.
         *
         * @param attempts 3, if nothing else is set; 1 for never again
         * @return this
         */
        public Builder attempts(int attempts) {
            if (attempts < 1) {
                throw new IllegalArgumentException("there must be an attempt");
            }
            settings.attempts = attempts;
            return this;
        }

        /**
         * Sets how long to wait before sending again. The wait doubles from attempt to attempt, and a random part of
         * up to a half is taken off; the server's {@code Retry-After} is obeyed if it is longer.
         *
         * @param firstSeconds before the second attempt: 0.25, if nothing else is set
         * @param maxSeconds   at most: 8, if nothing else is set
         * @return this
         */
        public Builder backoff(double firstSeconds, double maxSeconds) {
            settings.firstBackoffMillis = millis(firstSeconds);
            settings.maxBackoffMillis = millis(maxSeconds);
            return this;
        }

        /**
         * Sets how large an answer may be.
         *
         * @param bytes 64 MiB, if nothing else is set
         * @return this
         */
        public Builder maxAnswerBytes(long bytes) {
            settings.maxAnswerBytes = Math.min(bytes, Integer.MAX_VALUE - 16);
            return this;
        }

        /**
         * Sets who is told of every request.
         *
         * @param log the log, or null for none
         * @return this
         */
        public Builder log(CallLog log) {
            settings.log = log;
            return this;
        }

        /**
         * Sets how requests are sent.
         *
         * @param transport an {@link UrlTransport}, if nothing else is set
         * @return this
         */
        public Builder transport(Transport transport) {
            settings.transport = transport;
            return this;
        }

        /**
         * Sets what the client calls itself.
         *
         * @param userAgent {@code kaisatsu-sdk-java/} and the version, if nothing else is set
         * @return this
         */
        public Builder userAgent(String userAgent) {
            settings.userAgent = userAgent;
            return this;
        }

        /**
         * Makes the client.
         *
         * @return the client
         */
        public Kaisatsu build() {
            return new Kaisatsu(settings.clone());
        }
    }
}
