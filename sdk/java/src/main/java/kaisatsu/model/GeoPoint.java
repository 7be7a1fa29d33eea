package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A place on Earth. */
public final class GeoPoint {
    private final double latitude;
    private final double longitude;
    private final String gcs;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public GeoPoint(JsonObject json) {
        this.latitude = json.needNumber("lati_d");
        this.longitude = json.needNumber("longi_d");
        this.gcs = json.needString("gcs");
    }

    /**
     * The latitude.
     *
     * @return decimal degrees
     */
    public double getLatitude() {
        return latitude;
    }

    /**
     * The longitude.
     *
     * @return decimal degrees
     */
    public double getLongitude() {
        return longitude;
    }

    /**
     * The geodetic system.
     *
     * @return {@code wgs84}, or {@code tokyo} where that was asked for
     */
    public String getGcs() {
        return gcs;
    }
}
