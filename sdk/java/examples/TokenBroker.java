import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import kaisatsu.Kaisatsu;
import kaisatsu.error.KaisatsuException;
import kaisatsu.json.JsonWriter;
import kaisatsu.model.Token;

/**
 * Hands users' tokens to an app. The key that makes tokens stays here; the app has a restricted key, and asks this
 * server for the token of whoever is signed in: POST /token with the session of the app's own sign-in.
 *
 * <p>BROKER_SESSIONS stands for that sign-in: "session=user,session=user". Put a server that speaks TLS in front.
 */
public class TokenBroker {
    private final Kaisatsu kaisatsu;
    private final Map<String, String> users = new LinkedHashMap<>();

    TokenBroker(Kaisatsu kaisatsu, String sessions) {
        this.kaisatsu = kaisatsu;
        for (String entry : sessions.split(",")) {
            users.put(entry.split("=")[0], entry.split("=")[1]);
        }
    }

    public static void main(String[] arguments) throws IOException {
        Kaisatsu kaisatsu = Kaisatsu.builder(System.getenv("KAISATSU_URL"), System.getenv("KAISATSU_KEY")).build();
        TokenBroker broker = new TokenBroker(kaisatsu, System.getenv("BROKER_SESSIONS"));
        int port = arguments.length == 0 ? 8650 : Integer.parseInt(arguments[0]);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/token", broker::handle);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
        System.out.println("broker http://127.0.0.1:" + server.getAddress().getPort() + "/token");
    }

    private void handle(HttpExchange exchange) throws IOException {
        String session = exchange.getRequestHeaders().getFirst("Authorization");
        // The user is whoever the session says, never what the app says: it could ask for anybody's token.
        String user = session == null ? null : users.get(session.replaceFirst("^Bearer ", ""));
        Map<String, Object> answer = new LinkedHashMap<>();
        int status = 200;
        if (!exchange.getRequestMethod().equals("POST")) {
            status = 405;
        } else if (user == null) {
            status = 401;
        } else {
            try {
                Token token = kaisatsu.datasets().getToken(user);
                answer.put("token", token.getToken());
                answer.put("expiresAt", token.getExpiresAt());
            } catch (KaisatsuException e) {
                System.err.println("no token: " + e.getMessage() + ", request " + e.getRequestId());
                status = 503;
            }
        }
        byte[] body = JsonWriter.write(answer).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
