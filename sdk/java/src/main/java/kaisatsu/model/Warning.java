package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** What a dataset cannot do. */
public final class Warning {
    private final String code;
    private final String message;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Warning(JsonObject json) {
        this.code = json.needString("code");
        this.message = json.needString("message");
    }

    /**
     * Such as {@code oneTag}.
     *
     * @return the value
     */
    public String getCode() {
        return code;
    }

    /**
     * The same in words.
     *
     * @return the value
     */
    public String getMessage() {
        return message;
    }
}
