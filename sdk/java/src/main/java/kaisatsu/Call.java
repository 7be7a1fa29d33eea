package kaisatsu;

import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kaisatsu.http.HttpBody;

/** One operation with its arguments, before the key and the address are added. */
final class Call {
    final String method;
    final String path;
    /** Whether it may be sent again although it may have been received. */
    final boolean repeatable;
    boolean withKey = true;
    /** Whether it creates something, so that it is sent with an {@code Idempotency-Key} and may be sent again. */
    boolean once;
    HttpBody body;
    private final StringBuilder query = new StringBuilder();
    /** What must never be in a message. */
    final List<String> secrets = new ArrayList<>();

    private Call(String method, String path, boolean repeatable) {
        this.method = method;
        this.path = path;
        this.repeatable = repeatable;
    }

    static Call get(String path) {
        return new Call("GET", path, true);
    }

    static Call post(String path, boolean repeatable) {
        return new Call("POST", path, repeatable);
    }

    static Call create(String path) {
        Call call = new Call("POST", path, true);
        call.once = true;
        return call;
    }

    /** Deleting is not repeatable: the answer to the second request would be 404. */
    static Call delete(String path) {
        return new Call("DELETE", path, false);
    }

    /** Adds a query parameter, unless its value is null. */
    Call with(String name, Object value) {
        if (value != null) {
            query.append(query.length() == 0 ? '?' : '&').append(name).append('=').append(encode(value.toString()));
        }
        return this;
    }

    Call with(Map<String, Object> parameters) {
        for (Map.Entry<String, Object> parameter : parameters.entrySet()) {
            with(parameter.getKey(), parameter.getValue());
        }
        return this;
    }

    Call withToken(String token) {
        return token == null ? this : secret(token).with("token", token);
    }

    Call secret(String secret) {
        secrets.add(secret);
        return this;
    }

    Call withoutKey() {
        withKey = false;
        return this;
    }

    Call with(HttpBody content) {
        body = content;
        return this;
    }

    String pathAndQuery() {
        return path + query;
    }

    static String encode(String text) {
        try {
            return URLEncoder.encode(text, "UTF-8").replace("+", "%20");
        } catch (UnsupportedEncodingException e) {
            throw new AssertionError(e);
        }
    }
}
