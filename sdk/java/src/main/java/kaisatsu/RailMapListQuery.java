package kaisatsu;

/** Which route maps to list: all, one, or those that hold a station. */
public final class RailMapListQuery extends Parameters<RailMapListQuery> {
    /**
     * Creates one.
     */
    public RailMapListQuery() {
        set("gcs", "wgs84"); // the wire's own default is 400 metres off what a phone says
    }

    /**
     * Sets it: only the map of this id.
     *
     * @param id the value, or null for the server's default
     * @return this
     */
    public RailMapListQuery id(String id) {
        return set("id", id);
    }

    /**
     * Sets it: only the station of this code.
     *
     * @param stationCode the value, or null for the server's default
     * @return this
     */
    public RailMapListQuery stationCode(Integer stationCode) {
        return set("stationCode", stationCode);
    }

    /**
     * Sets it: only the station of this name.
     *
     * @param stationName the value, or null for the server's default
     * @return this
     */
    public RailMapListQuery stationName(String stationName) {
        return set("stationName", stationName);
    }

    /**
     * Sets it: the geodetic system, {@code wgs84} if nothing else is set, or {@code tokyo}.
     *
     * @param gcs the value, or null for the server's default
     * @return this
     */
    public RailMapListQuery gcs(String gcs) {
        return set("gcs", gcs);
    }

    /**
     * Sets it: the language of the names, {@code ja}, {@code en} or {@code ja-en}.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public RailMapListQuery language(String language) {
        return set("language", language);
    }
}
