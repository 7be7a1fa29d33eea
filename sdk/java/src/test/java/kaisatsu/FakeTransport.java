package kaisatsu;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kaisatsu.http.Abort;
import kaisatsu.http.HttpRequest;
import kaisatsu.http.HttpResponse;
import kaisatsu.http.Transport;

/** Answers what the test has prepared, and remembers the requests. */
final class FakeTransport implements Transport {
    final List<HttpRequest> requests = new ArrayList<>();
    final List<String> bodies = new ArrayList<>();
    private final Deque<Object> answers = new ArrayDeque<>();

    FakeTransport answer(int status, String body, String... headers) {
        Map<String, String> named = new HashMap<>();
        for (int i = 0; i < headers.length; i += 2) {
            named.put(headers[i], headers[i + 1]);
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        answers.add(new HttpResponse(status, named, new ByteArrayInputStream(bytes)));
        return this;
    }

    FakeTransport fail(IOException failure) {
        answers.add(failure);
        return this;
    }

    Kaisatsu.Builder client() {
        return Kaisatsu.builder("http://server.example/", "secret-key").transport(this).backoff(0.001, 0.002);
    }

    @Override
    public HttpResponse send(HttpRequest request, Abort abort) throws IOException {
        requests.add(request);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (request.getBody() != null) {
            request.getBody().writeTo(body);
        }
        bodies.add(new String(body.toByteArray(), StandardCharsets.UTF_8));
        Object next = answers.remove();
        if (next instanceof IOException) {
            throw (IOException) next;
        }
        return (HttpResponse) next;
    }
}
