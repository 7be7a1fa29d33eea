package kaisatsu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import kaisatsu.error.TransportException;
import kaisatsu.error.UnauthorisedException;
import kaisatsu.model.Health;
import kaisatsu.server.AsyncKaisatsu;
import kaisatsu.server.Streams;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The default transport and the forms with futures and streams, against an HTTP server of the JDK. */
class UrlTransportTest {
    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch hold = new CountDownLatch(1);
    private HttpServer server;
    private Kaisatsu client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
        client = Kaisatsu.builder("http://127.0.0.1:" + server.getAddress().getPort(), "key").build();
    }

    @AfterEach
    void stop() {
        hold.countDown();
        server.stop(0);
    }

    private void answer(HttpExchange exchange, int status, String body) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        InputStream in = exchange.getRequestBody();
        for (int b = in.read(); b >= 0; b = in.read()) {
            content.write(b);
        }
        seen.add(exchange.getRequestMethod() + " " + exchange.getRequestHeaders().getFirst("Content-Type") + " "
                + exchange.getRequestHeaders().getFirst("Content-Length") + " " + content.size());
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Test
    void theReasonOfARefusedUploadIsKnown() {
        String body = "{\"error\":{\"code\":\"117\",\"message\":\"the token has expired\"}}";
        server.createContext("/", exchange -> answer(exchange, 401, body));
        UnauthorisedException e = assertThrows(UnauthorisedException.class,
                () -> client.images().upload("t", Picture.of(new byte[] {1}), "disc"));
        assertEquals("117", e.getCode());
        assertEquals(2, seen.size());
        assertEquals("POST text/plain 1 1", seen.get(1), "the question after the reason cannot have an effect");
    }

    @Test
    void aStreamOfUnknownLengthIsSentInChunks() {
        String body = "{\"recognitionId\":\"r\",\"candidates\":[]}";
        server.createContext("/", exchange -> answer(exchange, 200, body));
        client.recognition().recognize(Picture.of(new ByteArrayInputStream(new byte[100_000])));
        assertEquals("POST application/octet-stream null 100000", seen.get(0));
        client.recognition().recognize(Picture.of(() -> new ByteArrayInputStream(new byte[70_000]), 70_000));
        assertEquals("POST application/octet-stream 70000 70000", seen.get(1));
    }

    @Test
    void aConnectionThatEndsWithinTheHeadersIsNotAnAnswer() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread cutting = new Thread(() -> {
                try (Socket connection = listener.accept()) {
                    connection.getInputStream().read();
                    connection.getOutputStream().write("HTTP/1.1 200 OK\r\nConte".getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    seen.add(e.toString());
                }
            });
            cutting.start();
            Kaisatsu cut = Kaisatsu.builder("http://127.0.0.1:" + listener.getLocalPort(), "key").attempts(1).build();
            assertThrows(TransportException.class, cut::health);
            cutting.join();
        }
        assertEquals("[]", seen.toString());
    }

    @Test
    void futuresHaveTheResult() {
        server.createContext("/", exchange -> answer(exchange, 200, "{\"status\":\"ok\",\"version\":\"1\"}"));
        assertEquals("ok", new AsyncKaisatsu(client).call(Kaisatsu::health).join().getStatus());
        assertEquals("GET null null 0", seen.get(0));
    }

    @Test
    void cancellingAFutureEndsTheExchange() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        server.createContext("/", exchange -> {
            asked.countDown();
            try {
                hold.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        CompletableFuture<Health> health = new AsyncKaisatsu(client).call(c -> {
            try {
                return c.health();
            } finally {
                over.countDown();
            }
        });
        asked.await();
        assertTrue(health.cancel(true));
        over.await();
        assertTrue(health.isCancelled());
        assertNull(health.handle((value, failure) -> value).get());
    }

    @Test
    void listsAreStreams() {
        String page = "{\"collections\":[{\"collection\":\"a\",\"images\":1,\"modelName\":\"m\",\"createdAt\":\"\"}],"
                + "\"nextCursor\":\"again\"}";
        server.createContext("/", exchange -> answer(exchange, 200, page));
        List<String> names = Streams.of(client.collections().each(new PageQuery())).limit(3)
                .map(collection -> collection.getCollection()).collect(Collectors.toList());
        assertEquals("[a, a, a]", names.toString());
        assertEquals(3, seen.size());
    }
}
