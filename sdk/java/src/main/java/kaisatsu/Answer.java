package kaisatsu;

import kaisatsu.error.Failure;
import kaisatsu.error.MalformedAnswerException;
import kaisatsu.json.JsonException;
import kaisatsu.json.JsonObject;
import kaisatsu.json.JsonReader;
import kaisatsu.model.ImageData;

/** An answer that has arrived. */
final class Answer {
    final int status;
    final String contentType;
    final String requestId;
    final Double retryAfter;
    final byte[] bytes;

    Answer(int status, String contentType, String requestId, Double retryAfter, byte[] bytes) {
        this.status = status;
        this.contentType = contentType;
        this.requestId = requestId;
        this.retryAfter = retryAfter;
        this.bytes = bytes;
    }

    boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    <T> T read(JsonObject.Reader<T> reader) {
        try {
            return reader.read(JsonObject.of(JsonReader.read(bytes)));
        } catch (JsonException e) {
            throw new MalformedAnswerException(e.getMessage(), status, requestId);
        }
    }

    /** For the operations of the route map, whose answers are inside of a {@code ResultSet}. */
    <T> T readSet(final JsonObject.Reader<T> reader) {
        return read(answer -> reader.read(answer.needObject("ResultSet")));
    }

    /** A picture; a map can be drawn as a PDF too. */
    ImageData image() {
        boolean picture = contentType != null
                && (contentType.startsWith("image/") || contentType.startsWith("application/pdf"));
        if (!picture) {
            throw new MalformedAnswerException("the answer is not a picture", status, requestId);
        }
        return new ImageData(contentType, bytes);
    }

    /** What the server said, in the form of either function; a proxy's own page has neither. */
    Failure failure() {
        String code = null;
        String message = null;
        try {
            JsonObject answer = JsonObject.of(JsonReader.read(bytes));
            JsonObject set = answer.object("ResultSet");
            JsonObject error = set == null ? answer.object("error") : set.object("Error");
            if (error != null) {
                code = error.string("code");
                message = error.string(set == null ? "message" : "Message");
            }
        } catch (JsonException e) {
            // The status says enough.
        }
        return new Failure(status, code, message, requestId, retryAfter);
    }
}
