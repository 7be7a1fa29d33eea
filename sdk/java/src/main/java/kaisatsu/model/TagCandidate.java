package kaisatsu.model;

import java.util.List;
import kaisatsu.json.JsonObject;

/** A category that a picture may show. */
public final class TagCandidate {
    private final String tag;
    private final double score;
    private final String itemId;
    private final String tagId;
    private final GeoPoint geoPoint;
    private final List<Site> sites;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public TagCandidate(JsonObject json) {
        this.tag = json.needString("tag");
        this.score = json.needNumber("score");
        this.itemId = json.needString("itemId");
        this.tagId = json.string("tagId");
        this.geoPoint = json.has("GeoPoint") ? new GeoPoint(json.needObject("GeoPoint")) : null;
        this.sites = json.list("sites", Site::new);
    }

    /**
     * Its name.
     *
     * @return the value
     */
    public String getTag() {
        return tag;
    }

    /**
     * How sure the engine is, 0 to 1.
     *
     * @return the value
     */
    public double getScore() {
        return score;
    }

    /**
     * The id of this candidate, for feedback.
     *
     * @return the value
     */
    public String getItemId() {
        return itemId;
    }

    /**
     * What identifies the category: two can share a name.
     *
     * @return the value, or null when there is none
     */
    public String getTagId() {
        return tagId;
    }

    /**
     * Where it is, if it is a single thing whose place is known, such as a sight.
     *
     * @return the place, or null
     */
    public GeoPoint getGeoPoint() {
        return geoPoint;
    }

    /**
     * Pages about it, of a model that knows single things.
     *
     * @return an unmodifiable list
     */
    public List<Site> getSites() {
        return sites;
    }
}
