package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** How a server is. */
public final class Health {
    private final String status;
    private final String version;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     */
    public Health(JsonObject json) {
        this.status = json.needString("status");
        this.version = json.needString("version");
    }

    /**
     * One of {@code ok}, or what is wrong.
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
}
