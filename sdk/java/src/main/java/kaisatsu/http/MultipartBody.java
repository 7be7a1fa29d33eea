package kaisatsu.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A form with files (RFC 7578). Files are written from where they are, not gathered in memory; the length is known
 * beforehand if every file's is.
 */
public final class MultipartBody implements HttpBody {
    private static final byte[] LINE_END = {'\r', '\n'};

    private final String boundary;
    private final List<byte[]> heads = new ArrayList<>();
    private final List<HttpBody> parts = new ArrayList<>();

    /** Creates an empty form with a boundary that no picture contains but by a chance of 1 in 2 to the 122. */
    public MultipartBody() {
        this("kaisatsu-" + UUID.randomUUID());
    }

    MultipartBody(String boundary) {
        this.boundary = boundary;
    }

    /**
     * Adds a field.
     *
     * @param name  its name
     * @param value its value
     */
    public void addField(String name, String value) {
        add(name, null, null, new BytesBody(null, value.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Adds a file.
     *
     * @param name     the field's name
     * @param fileName what the file is called
     * @param content  the file
     */
    public void addFile(String name, String fileName, HttpBody content) {
        add(name, fileName, content.getContentType(), content);
    }

    private void add(String name, String fileName, String contentType, HttpBody content) {
        StringBuilder head = new StringBuilder("--").append(boundary).append("\r\n");
        head.append("Content-Disposition: form-data; name=\"").append(escape(name)).append('"');
        if (fileName != null) {
            head.append("; filename=\"").append(escape(fileName)).append('"');
        }
        if (contentType != null) {
            head.append("\r\nContent-Type: ").append(contentType);
        }
        heads.add(head.append("\r\n\r\n").toString().getBytes(StandardCharsets.UTF_8));
        parts.add(content);
    }

    /** As browsers do it (WHATWG HTML): a name cannot end its quotes or its line. */
    private static String escape(String name) {
        return name.replace("\"", "%22").replace("\r", "%0D").replace("\n", "%0A");
    }

    private byte[] end() {
        return ("--" + boundary + "--\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String getContentType() {
        return "multipart/form-data; boundary=" + boundary;
    }

    @Override
    public long getLength() {
        long length = end().length;
        for (int i = 0; i < parts.size(); i++) {
            long part = parts.get(i).getLength();
            if (part < 0) {
                return -1;
            }
            length += heads.get(i).length + part + LINE_END.length;
        }
        return length;
    }

    @Override
    public boolean isRepeatable() {
        for (HttpBody part : parts) {
            if (!part.isRepeatable()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        for (int i = 0; i < parts.size(); i++) {
            out.write(heads.get(i));
            parts.get(i).writeTo(out);
            out.write(LINE_END);
        }
        out.write(end());
    }
}
