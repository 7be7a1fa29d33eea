package kaisatsu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import kaisatsu.error.TransportException;
import org.junit.jupiter.api.Test;

class RedactionTest {
    private final FakeTransport transport = new FakeTransport();
    private final List<String> log = new ArrayList<>();

    private static String everything(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void theLogHasNoSecrets() {
        transport.answer(200, "{\"images\":[]}", "X-Request-Id", "abc-1");
        Kaisatsu client = transport.client().keyIn(KeyIn.QUERY).log(record -> log.add(record.toString())).build();
        client.images().list("kut_secret", new PageQuery());
        assertEquals(1, log.size());
        assertTrue(log.get(0).matches("POST /imageRecognition/v1/userCategory/listImages 200 \\d+ ms request abc-1"),
                log.get(0));
        assertFalse(client.toString().contains("secret"));
        assertFalse(transport.requests.get(0).toString().contains("secret"));
        assertTrue(transport.requests.get(0).getUrl().contains("APIKEY=secret-key"));
    }

    @Test
    void failuresOfThePlatformThatQuoteTheAddressAreLeftOut() {
        transport.fail(new IOException("Server returned 500 for http://server.example/x?APIKEY=secret-key"));
        Kaisatsu client = transport.client().attempts(1).log(record -> log.add(record.toString())).build();
        TransportException e = assertThrows(TransportException.class, client::health);
        assertFalse(everything(e).contains("secret-key"));
        assertTrue(e.getMessage().contains("GET /healthz"));
        assertEquals("GET /healthz IOException", log.get(0).substring(0, 24));

        transport.fail(new IOException("no route", new IOException("token=kut_secret")));
        e = assertThrows(TransportException.class, () -> client.images().delete("kut_secret", "i"));
        assertFalse(everything(e).contains("kut_secret"));

        IOException harmless = new IOException("no route to host");
        transport.fail(harmless);
        e = assertThrows(TransportException.class, client::health);
        assertEquals(harmless, e.getCause());
    }

    @Test
    void theKeyGoesWhereItIsAskedFor() {
        transport.answer(200, "{\"tasks\":[]}").answer(200, "{\"tasks\":[]}").answer(200, "{\"status\":\"ok\","
                + "\"version\":\"1\"}");
        transport.client().build().recognition().models();
        assertEquals("secret-key", transport.requests.get(0).getHeaders().get("X-API-Key"));
        assertFalse(transport.requests.get(0).getUrl().contains("secret"));
        transport.client().keyIn(KeyIn.QUERY).build().recognition().models();
        assertNull(transport.requests.get(1).getHeaders().get("X-API-Key"));
        transport.client().build().health();
        assertNull(transport.requests.get(2).getHeaders().get("X-API-Key"), "health needs no key");
        assertEquals("kaisatsu-sdk-java/" + Version.NUMBER, transport.requests.get(0).getHeaders().get("User-Agent"));
    }
}
