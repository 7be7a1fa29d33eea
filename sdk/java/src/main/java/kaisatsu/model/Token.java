package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A user's token. */
public final class Token {
    private final String token;
    private final String expiresAt;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Token(JsonObject json) {
        this.token = json.needString("token");
        this.expiresAt = json.needString("expiresAt");
    }

    /**
     * The secret that makes its bearer this user.
     *
     * @return the value
     */
    public String getToken() {
        return token;
    }

    /**
     * Until when it is valid, in UTC.
     *
     * @return the value
     */
    public String getExpiresAt() {
        return expiresAt;
    }
}
