package kaisatsu.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import kaisatsu.json.JsonWriter;

/** A body in memory. */
public final class BytesBody implements HttpBody {
    private final String contentType;
    private final byte[] bytes;

    /**
     * Creates a body.
     *
     * @param contentType what it is
     * @param bytes       the bytes, which are not copied
     */
    public BytesBody(String contentType, byte[] bytes) {
        this.contentType = contentType;
        this.bytes = bytes;
    }

    /**
     * A body of JSON.
     *
     * @param value what {@link JsonWriter} writes
     * @return the body
     */
    public static BytesBody json(Object value) {
        byte[] utf8 = JsonWriter.write(value).getBytes(StandardCharsets.UTF_8);
        return new BytesBody("application/json;charset=UTF-8", utf8);
    }

    @Override
    public String getContentType() {
        return contentType;
    }

    @Override
    public long getLength() {
        return bytes.length;
    }

    @Override
    public boolean isRepeatable() {
        return true;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        out.write(bytes);
    }
}
