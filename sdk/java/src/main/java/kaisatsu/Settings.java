package kaisatsu;

import kaisatsu.http.Transport;

/** What a client is made of. Never changed after the client was built. */
final class Settings implements Cloneable {
    String baseUrl;
    String key;
    KeyIn keyIn = KeyIn.HEADER;
    String routeService = "route_service";
    String userAgent = "kaisatsu-sdk-java/" + Version.NUMBER;
    Transport transport;
    long timeoutMillis = 30_000;
    long totalTimeoutMillis = 120_000;
    int attempts = 3;
    long firstBackoffMillis = 250;
    long maxBackoffMillis = 8_000;
    long maxAnswerBytes = 64L << 20;
    CallLog log;
    Cancellation cancellation;
    String idempotencyKey;

    @Override
    public Settings clone() {
        try {
            return (Settings) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}
