package kaisatsu;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import kaisatsu.http.BytesBody;
import kaisatsu.http.HttpBody;

/**
 * A picture to send: JPEG, PNG, GIF, BMP, TIFF or WebP. Files and streams are sent piece by piece and never are in
 * memory as a whole.
 */
public final class Picture {
    private final String name;
    private final HttpBody content;

    private Picture(String name, HttpBody content) {
        this.name = name;
        this.content = content;
    }

    /**
     * A picture in memory.
     *
     * @param bytes the file's bytes, which are not copied
     * @return the picture
     */
    public static Picture of(byte[] bytes) {
        return new Picture("picture", new BytesBody("application/octet-stream", bytes));
    }

    /**
     * A picture in a file.
     *
     * @param file the file, which is read when the picture is sent, again if it is sent again
     * @return the picture
     * @throws IllegalArgumentException if there is no such file
     */
    public static Picture of(final File file) {
        if (!file.isFile()) {
            throw new IllegalArgumentException(file + " is not a file");
        }
        return new Picture(file.getName(), new Streamed(file.length(), true) {
            @Override
            InputStream open() throws IOException {
                return new FileInputStream(file);
            }
        });
    }

    /**
     * A picture that can be opened as often as necessary.
     *
     * @param source opens it
     * @param length how many bytes it has, or -1 if that is not known
     * @return the picture
     */
    public static Picture of(final Source source, long length) {
        return new Picture("picture", new Streamed(length, true) {
            @Override
            InputStream open() throws IOException {
                return source.open();
            }
        });
    }

    /**
     * A picture that can be read once. A call with it is never repeated.
     *
     * @param stream the picture; it is closed after it was sent
     * @return the picture
     */
    public static Picture of(final InputStream stream) {
        return new Picture("picture", new Streamed(-1, false) {
            @Override
            InputStream open() {
                return stream;
            }
        });
    }

    String name() {
        return name;
    }

    HttpBody content() {
        return content;
    }

    /** Opens a picture. */
    public interface Source {
        /**
         * Opens it.
         *
         * @return the picture from its beginning
         * @throws IOException if it cannot be read
         */
        InputStream open() throws IOException;
    }

    private abstract static class Streamed implements HttpBody {
        private final long length;
        private final boolean repeatable;

        Streamed(long length, boolean repeatable) {
            this.length = length;
            this.repeatable = repeatable;
        }

        abstract InputStream open() throws IOException;

        @Override
        public String getContentType() {
            return "application/octet-stream";
        }

        @Override
        public long getLength() {
            return length;
        }

        @Override
        public boolean isRepeatable() {
            return repeatable;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            try (InputStream in = open()) {
                byte[] piece = new byte[16 << 10];
                for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                    out.write(piece, 0, read);
                }
            }
        }
    }
}
