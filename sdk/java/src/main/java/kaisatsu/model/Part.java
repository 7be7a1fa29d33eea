package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A part of a server, such as its database. */
public final class Part {
    private final String name;
    private final String state;
    private final String message;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Part(JsonObject json) {
        this.name = json.needString("name");
        this.state = json.needString("state");
        this.message = json.string("message");
    }

    /**
     * What it is called.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }

    /**
     * One of {@code ok}, {@code off}, {@code starting}, {@code degraded} and {@code failing}.
     *
     * @return the value
     */
    public String getState() {
        return state;
    }

    /**
     * Why, when it is not ok.
     *
     * @return the value, or null when there is none
     */
    public String getMessage() {
        return message;
    }
}
