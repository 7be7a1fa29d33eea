package kaisatsu;

/** Which stations to find. */
public final class StationQuery extends Parameters<StationQuery> {
    /**
     * Creates one.
     */
    public StationQuery() {
        set("gcs", "wgs84"); // the wire's own default is 400 metres off what a phone says
    }

    /**
     * Sets it: the station of this code.
     *
     * @param code the value, or null for the server's default
     * @return this
     */
    public StationQuery code(Integer code) {
        return set("code", code);
    }

    /**
     * Sets it: stations whose name, reading, former name or line begins with this.
     *
     * @param name the value, or null for the server's default
     * @return this
     */
    public StationQuery name(String name) {
        return set("name", name);
    }

    /**
     * Sets it: stations in this prefecture.
     *
     * @param prefectureCode the value, or null for the server's default
     * @return this
     */
    public StationQuery prefectureCode(Integer prefectureCode) {
        return set("prefectureCode", prefectureCode);
    }

    /**
     * Sets it: stations of this kind: {@code train}, {@code bus} and so on.
     *
     * @param type the value, or null for the server's default
     * @return this
     */
    public StationQuery type(String type) {
        return set("type", type);
    }

    /**
     * Sets it: stations on this map.
     *
     * @param id the value, or null for the server's default
     * @return this
     */
    public StationQuery id(String id) {
        return set("id", id);
    }

    /**
     * Sets it: how many at most in one answer.
     *
     * @param limit the value, or null for the server's default
     * @return this
     */
    public StationQuery limit(Integer limit) {
        return set("limit", limit);
    }

    /**
     * Sets it: the number of the first one, from 1.
     *
     * @param offset the value, or null for the server's default
     * @return this
     */
    public StationQuery offset(Integer offset) {
        return set("offset", offset);
    }

    /**
     * Sets it: the geodetic system, {@code wgs84} if nothing else is set, or {@code tokyo}.
     *
     * @param gcs the value, or null for the server's default
     * @return this
     */
    public StationQuery gcs(String gcs) {
        return set("gcs", gcs);
    }

    /**
     * Sets it: the language of the names, {@code ja}, {@code en} or {@code ja-en}.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public StationQuery language(String language) {
        return set("language", language);
    }
}
