package kaisatsu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.net.ssl.SSLHandshakeException;
import kaisatsu.error.CancelledException;
import kaisatsu.error.ConflictException;
import kaisatsu.error.RateLimitedException;
import kaisatsu.error.TimeoutException;
import kaisatsu.error.TransportException;
import kaisatsu.error.UnavailableException;
import kaisatsu.http.NotSentException;
import org.junit.jupiter.api.Test;

class RetryTest {
    private static final String HEALTH = "{\"status\":\"ok\",\"version\":\"1\"}";
    private static final String CLASSES = "{\"recognitionId\":\"r\",\"jobId\":\"r\",\"candidates\":[]}";
    private static final Picture PICTURE = Picture.of(new byte[] {1});

    private final FakeTransport transport = new FakeTransport();

    private void sent(int times) {
        assertEquals(times, transport.requests.size());
    }

    @Test
    void whatWasNotSentIsAlwaysSentAgain() {
        transport.fail(new NotSentException(new ConnectException("refused"))).answer(200, CLASSES);
        assertEquals("r", transport.client().build().recognition().classify(PICTURE).getRecognitionId());
        sent(2);
        assertTrue(transport.bodies.get(1).contains("name=\"image\""), "the second has the picture too");
    }

    @Test
    void whatMayHaveBeenReceivedIsSentAgainOnlyIfItIsRepeatable() {
        transport.fail(new IOException("reset")).answer(200, HEALTH);
        transport.client().build().health();
        sent(2);
        transport.fail(new IOException("reset"));
        assertThrows(TransportException.class, () -> transport.client().build().recognition().classify(PICTURE));
        sent(3);
        transport.fail(new IOException("reset"));
        assertThrows(TransportException.class, () -> transport.client().build().catalogue().remove("1"));
        sent(4);
        transport.fail(new SocketTimeoutException());
        assertThrows(TimeoutException.class, () -> transport.client().build().datasets().delete("t", "d"));
        sent(5);
        transport.fail(new IOException("reset")).answer(204, "");
        transport.client().build().recognition().feedback("r", true, null);
        sent(7);
    }

    @Test
    void whatCreatesSomethingIsSentAgainWithTheSameKey() {
        String created = "{\"dataSetId\":\"d\",\"state\":\"queued\"}";
        List<ImageReference> images = new ArrayList<>();
        images.add(ImageReference.stored("i", "t"));
        transport.fail(new IOException("reset")).answer(409, "", "Retry-After", "0").answer(202, created);
        assertEquals("d", transport.client().build().datasets().create("t", "n", images).getDataSetId());
        sent(3);
        String key = key(0);
        assertEquals(4, UUID.fromString(key).version());
        assertEquals(key, key(1));
        assertEquals(key, key(2));
        transport.answer(202, created).answer(202, created);
        transport.client().build().withIdempotencyKey("mine").datasets().create("t", "n", images);
        assertEquals("mine", key(3));
        transport.client().build().datasets().create("t", "n", images);
        assertNotEquals(key, key(4));
    }

    private String key(int request) {
        return transport.requests.get(request).getHeaders().get("Idempotency-Key");
    }

    @Test
    void aConflictIsFinalUnlessTheServerIsAtWorkOnTheSameRequest() {
        transport.answer(409, "");
        assertThrows(ConflictException.class, () -> transport.client().build().images().upload("t", PICTURE, "tag"));
        sent(1);
        transport.answer(409, "", "Retry-After", "0");
        assertThrows(ConflictException.class, () -> transport.client().build().recognition().classify(PICTURE));
        sent(2);
        assertEquals(null, key(1));
    }

    @Test
    void attemptsHaveALimit() {
        for (int i = 0; i < 3; i++) {
            transport.fail(new IOException("reset"));
        }
        assertThrows(TransportException.class, () -> transport.client().build().health());
        sent(3);
        transport.fail(new IOException("reset"));
        assertThrows(TransportException.class, () -> transport.client().attempts(1).build().health());
        sent(4);
    }

    @Test
    void aServerThatRefusesIsAskedAgainAfterTheTimeThatItNames() {
        transport.answer(429, "", "Retry-After", "0").answer(503, "", "retry-after", "0").answer(200, CLASSES);
        transport.client().build().recognition().classify(PICTURE);
        sent(3);
    }

    @Test
    void aTimeBeyondTheTotalIsNotWaitedFor() {
        transport.answer(429, "", "Retry-After", "3600");
        RateLimitedException e = assertThrows(RateLimitedException.class, () -> transport.client().build().health());
        assertEquals(3600.0, e.getRetryAfter());
        sent(1);
    }

    @Test
    void unavailableWithoutATimeMayHaveBeenDone() {
        transport.answer(503, "");
        assertThrows(UnavailableException.class, () -> transport.client().build().recognition().classify(PICTURE));
        sent(1);
        transport.answer(503, "").answer(200, HEALTH);
        transport.client().build().ready();
        sent(3);
    }

    @Test
    void aStreamIsSentOnce() {
        transport.answer(429, "", "Retry-After", "0");
        Picture once = Picture.of(new ByteArrayInputStream(new byte[] {1}));
        assertThrows(RateLimitedException.class, () -> transport.client().build().recognition().classify(once));
        sent(1);
    }

    @Test
    void aWrongCertificateStaysWrong() {
        transport.fail(new NotSentException(new SSLHandshakeException("unknown authority")));
        assertThrows(TransportException.class, () -> transport.client().build().health());
        sent(1);
    }

    @Test
    void cancelledAndInterruptedCallsEnd() {
        Cancellation cancellation = new Cancellation();
        cancellation.cancel();
        Kaisatsu cancelled = transport.client().build().cancelledBy(cancellation);
        assertThrows(CancelledException.class, cancelled::health);
        sent(0);
        transport.answer(429, "", "Retry-After", "60");
        Thread.currentThread().interrupt();
        assertThrows(CancelledException.class, () -> transport.client().build().health());
        assertTrue(Thread.interrupted(), "the thread still knows that it was interrupted");
    }

    @Test
    void pagesAreAskedForWhenTheyAreNeeded() {
        transport.answer(200, "{\"items\":[" + item("a") + "," + item("b") + "],\"nextCursor\":\"c\"}")
                .answer(200, "{\"items\":[" + item("d") + "]}");
        List<String> ids = new ArrayList<>();
        transport.client().build().catalogue().each(new ItemQuery().limit(2)).forEach(item -> {
            ids.add(item.getId());
            sent(item.getId().equals("d") ? 2 : 1);
        });
        assertEquals("[a, b, d]", ids.toString());
        assertTrue(transport.requests.get(1).getUrl().contains("cursor=c"));
        assertTrue(transport.requests.get(1).getUrl().contains("limit=2"));
    }

    private static String item(String id) {
        return "{\"id\":\"" + id + "\",\"category\":\"food\",\"name\":\"n\",\"barcodes\":[],\"pictures\":0,"
                + "\"imageUrl\":\"\",\"detail\":{},\"sites\":[]}";
    }
}
