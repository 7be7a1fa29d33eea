package kaisatsu;

/** Around which place to find stations. */
public final class StationNearQuery extends Parameters<StationNearQuery> {
    /**
     * Creates one.
     *
     * @param latitude  the latitude in decimal degrees
     * @param longitude the longitude in decimal degrees
     */
    public StationNearQuery(double latitude, double longitude) {
        need("lati_d", latitude);
        need("longi_d", longitude);
        set("gcs", "wgs84"); // the wire's own default is 400 metres off what a phone says
    }

    /**
     * Sets it: how far a station may be, in metres, 1 to 50000.
     *
     * @param radius the value, or null for the server's default
     * @return this
     */
    public StationNearQuery radius(Integer radius) {
        return set("radius", radius);
    }

    /**
     * Sets it: how many at most in one answer.
     *
     * @param limit the value, or null for the server's default
     * @return this
     */
    public StationNearQuery limit(Integer limit) {
        return set("limit", limit);
    }

    /**
     * Sets it: the geodetic system of coordinates, {@code wgs84} or {@code tokyo}.
     *
     * @param gcs the value, or null for the server's default
     * @return this
     */
    public StationNearQuery gcs(String gcs) {
        return set("gcs", gcs);
    }

    /**
     * Sets it: the language of the names, {@code ja}, {@code en} or {@code ja-en}.
     *
     * @param language the value, or null for the server's default
     * @return this
     */
    public StationNearQuery language(String language) {
        return set("language", language);
    }
}
