package kaisatsu;

/** Which stations of a route map to answer: all, one, or those in a window. */
public final class RailMapQuery extends Parameters<RailMapQuery> {
    /**
     * Creates one.
     *
     * @param id the id of the map
     */
    public RailMapQuery(String id) {
        need("id", id);
        set("gcs", "wgs84"); // the wire's own default is 400 metres off what a phone says
    }

    /**
     * Sets it: only the station of this name.
     *
     * @param stationName the value, or null for the server's default
     * @return this
     */
    public RailMapQuery stationName(String stationName) {
        return set("stationName", stationName);
    }

    /**
     * Sets it: only the station of this code.
     *
     * @param stationCode the value, or null for the server's default
     * @return this
     */
    public RailMapQuery stationCode(Integer stationCode) {
        return set("stationCode", stationCode);
    }

    /**
     * Sets it: left edge of the window.
     *
     * @param x the value, or null for the server's default
     * @return this
     */
    public RailMapQuery x(Integer x) {
        return set("x", x);
    }

    /**
     * Sets it: top edge of the window.
     *
     * @param y the value, or null for the server's default
     * @return this
     */
    public RailMapQuery y(Integer y) {
        return set("y", y);
    }

    /**
     * Sets it: width of the window, 1 to 500.
     *
     * @param width the value, or null for the server's default
     * @return this
     */
    public RailMapQuery width(Integer width) {
        return set("width", width);
    }

    /**
     * Sets it: height of the window, 1 to 500.
     *
     * @param height the value, or null for the server's default
     * @return this
     */
    public RailMapQuery height(Integer height) {
        return set("height", height);
    }

    /**
     * Sets it: the geodetic system, {@code wgs84} if nothing else is set, or {@code tokyo}.
     *
     * @param gcs the value, or null for the server's default
     * @return this
     */
    public RailMapQuery gcs(String gcs) {
        return set("gcs", gcs);
    }

    /**
     * Sets it: the language of the names, {@code ja}, {@code en} or {@code ja-en}.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public RailMapQuery language(String language) {
        return set("language", language);
    }
}
