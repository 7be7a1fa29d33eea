package kaisatsu.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MultipartBodyTest {
    private static String written(HttpBody body) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        body.writeTo(out);
        return new String(out.toByteArray(), StandardCharsets.UTF_8);
    }

    @Test
    void fieldsAndFiles() throws IOException {
        MultipartBody form = new MultipartBody("xyz");
        form.addField("tag", "円盤");
        form.addFile("image", "a\"b\r\n.png", new BytesBody("image/png", new byte[] {'P', 'N', 'G'}));
        String expected = "--xyz\r\nContent-Disposition: form-data; name=\"tag\"\r\n\r\n円盤\r\n"
                + "--xyz\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a%22b%0D%0A.png\"\r\n"
                + "Content-Type: image/png\r\n\r\nPNG\r\n--xyz--\r\n";
        assertEquals(expected, written(form));
        assertEquals(expected.getBytes(StandardCharsets.UTF_8).length, form.getLength());
        assertEquals("multipart/form-data; boundary=xyz", form.getContentType());
        assertTrue(form.isRepeatable());
        assertEquals(expected, written(form), "a second time");
    }

    @Test
    void anUnknownLengthMakesTheWholeUnknown() {
        MultipartBody form = new MultipartBody();
        form.addFile("image", "stream", new HttpBody() {
            @Override
            public String getContentType() {
                return "image/jpeg";
            }

            @Override
            public long getLength() {
                return -1;
            }

            @Override
            public boolean isRepeatable() {
                return false;
            }

            @Override
            public void writeTo(OutputStream out) {}
        });
        assertEquals(-1, form.getLength());
        assertFalse(form.isRepeatable());
    }

    @Test
    void everyFormHasABoundaryOfItsOwn() {
        assertNotEquals(new MultipartBody().getContentType(), new MultipartBody().getContentType());
    }
}
