package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** How a server is. */
public final class Health {
    private final String status;
    private final String version;
    private final List<Part> parts;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Health(JsonObject json) {
        this.status = json.needString("status");
        this.version = json.needString("version");
        this.parts = json.list("parts", Part::new);
    }

    /**
     * How it is: {@code ok}; of {@code ready} also {@code degraded}, when a part needs attention.
     *
     * @return the value
     */
    public String getStatus() {
        return status;
    }

    /**
     * The version of the server.
     *
     * @return the value
     */
    public String getVersion() {
        return version;
    }

    /**
     * The parts of the server.
     *
     * @return an unmodifiable list, which is empty unless {@code ready} was asked
     */
    public List<Part> getParts() {
        return parts;
    }
}
