package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A prefecture. */
public final class Prefecture {
    private final int code;
    private final String name;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Prefecture(JsonObject json) {
        this.code = json.needInteger("code");
        this.name = json.needString("Name");
    }

    /**
     * The JIS X 0401 code.
     *
     * @return the value
     */
    public int getCode() {
        return code;
    }

    /**
     * Its name.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }
}
