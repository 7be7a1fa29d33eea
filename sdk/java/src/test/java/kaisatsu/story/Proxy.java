package kaisatsu.story;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import kaisatsu.json.JsonReader;
import kaisatsu.json.JsonWriter;

/** The control address of the proxy that injects faults. */
final class Proxy {
    private Proxy() {}

    static void set(Object fault) throws IOException {
        ask("/fault", JsonWriter.write(fault));
    }

    /** Compares what the proxy saw; returns null, or what is wrong. */
    static String compare(Map<String, Object> step, Map<String, Object> saved) throws IOException {
        Map<String, Object> seen = Plain.object(ask("/requests", null));
        if (step.containsKey("requests") && !step.get("requests").equals(seen.get("requests"))) {
            return "the proxy saw " + seen.get("requests") + " requests instead of " + step.get("requests");
        }
        List<?> requests = (List<?>) seen.get("seen");
        Object last = requests.isEmpty() ? null : requests.get(requests.size() - 1);
        return Expect.compare(Plain.object(step.get("sent")), last, saved);
    }

    private static Object ask(String path, String body) throws IOException {
        URL url = new URL(Story.env("KAISATSU_PROXY_CONTROL") + path);
        HttpURLConnection connection = (HttpURLConnection) url.openConnection(java.net.Proxy.NO_PROXY);
        if (body != null) {
            connection.setDoOutput(true);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(body.getBytes(StandardCharsets.UTF_8));
            }
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (InputStream in = connection.getInputStream()) {
            for (int b = in.read(); b >= 0; b = in.read()) {
                answer.write(b);
            }
        }
        return JsonReader.read(answer.toByteArray());
    }
}
