package kaisatsu.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import kaisatsu.json.JsonObject;

/** A station, with what the operation knows of it. */
public final class Station {
    private final int code;
    private final String name;
    private final String yomi;
    private final String type;
    private final Prefecture prefecture;
    private final GeoPoint geoPoint;
    private final List<Mark> marks;
    private final List<String> maps;
    private final Integer distance;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Station(JsonObject json) {
        JsonObject station = json.needObject("Station");
        this.code = station.needInteger("code");
        this.name = station.needString("Name");
        this.yomi = station.needString("Yomi");
        this.type = station.needString("Type");
        JsonObject at = json.needObject("Prefecture");
        this.prefecture = at.needString("code").isEmpty() ? null : new Prefecture(at);
        this.geoPoint = new GeoPoint(json.needObject("GeoPoint"));
        this.marks = json.has("MarkCoordinates") ? json.list("MarkCoordinates", Mark::new) : null;
        this.maps = json.has("RailMap") ? ids(json) : null;
        this.distance = json.integer("Distance");
    }

    private static List<String> ids(JsonObject json) {
        return Collections.unmodifiableList(new ArrayList<>(json.list("RailMap", map -> map.needString("id"))));
    }

    /**
     * The code, which stays the same when the station is renamed: what to store.
     *
     * @return the code
     */
    public int getCode() {
        return code;
    }

    /**
     * The name.
     *
     * @return the name
     */
    public String getName() {
        return name;
    }

    /**
     * The reading of the name in kana.
     *
     * @return the reading
     */
    public String getYomi() {
        return yomi;
    }

    /**
     * The kind of transport.
     *
     * @return {@code train}, {@code plane}, {@code ship}, {@code bus}, {@code walk} or {@code strange}
     */
    public String getType() {
        return type;
    }

    /**
     * The prefecture.
     *
     * @return the prefecture, or null abroad
     */
    public Prefecture getPrefecture() {
        return prefecture;
    }

    /**
     * Where it is on Earth.
     *
     * @return the place
     */
    public GeoPoint getGeoPoint() {
        return geoPoint;
    }

    /**
     * Where it is on the map.
     *
     * @return an unmodifiable list of its shapes, or null in answers that are not about a map
     */
    public List<Mark> getMarks() {
        return marks;
    }

    /**
     * The maps that it is on.
     *
     * @return an unmodifiable list of their ids, or null in answers that do not have it
     */
    public List<String> getMaps() {
        return maps;
    }

    /**
     * How far it is.
     *
     * @return metres, or null in answers to other questions than what is near
     */
    public Integer getDistance() {
        return distance;
    }

    @Override
    public String toString() {
        return name + " (" + code + ")";
    }
}
