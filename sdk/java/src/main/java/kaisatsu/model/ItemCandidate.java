package kaisatsu.model;

import java.util.List;
import java.util.Map;
import kaisatsu.json.JsonObject;

/** An item of the catalogue that a picture may show. */
public final class ItemCandidate {
    private final double score;
    private final String itemId;
    private final String category;
    private final String imageUrl;
    private final String thumbnailUrl;
    private final Map<String, Object> detail;
    private final List<Site> sites;
    private final Evidence evidence;
    private final List<Corner> corners;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public ItemCandidate(JsonObject json) {
        this.score = json.needNumber("score");
        this.itemId = json.needString("itemId");
        this.category = json.needString("category");
        this.imageUrl = json.needString("imageUrl");
        this.thumbnailUrl = json.string("thumbnailUrl");
        this.detail = json.fields("detail");
        this.sites = json.needList("sites", Site::new);
        this.evidence = json.has("evidence") ? new Evidence(json.needObject("evidence")) : null;
        this.corners = json.list("corners", Corner::new);
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
     * What kind of thing it is.
     *
     * @return the value
     */
    public String getCategory() {
        return category;
    }

    /**
     * Where its picture is found; empty when the catalogue does not say.
     *
     * @return the value
     */
    public String getImageUrl() {
        return imageUrl;
    }

    /**
     * The address of a small picture of it on the server, which takes a key; null when there is none.
     *
     * @return the value
     */
    public String getThumbnailUrl() {
        return thumbnailUrl;
    }

    /**
     * What the catalogue knows of it: {@code itemName}, and whatever else was imported.
     *
     * @return an unmodifiable map
     */
    public Map<String, Object> getDetail() {
        return detail;
    }

    /**
     * Pages about it.
     *
     * @return an unmodifiable list
     */
    public List<Site> getSites() {
        return sites;
    }

    /**
     * What speaks for it.
     *
     * @return the value, or null when there is none
     */
    public Evidence getEvidence() {
        return evidence;
    }

    /**
     * Its four corners, from its own upper left to the right.
     *
     * @return an unmodifiable list, empty when there is none
     */
    public List<Corner> getCorners() {
        return corners;
    }
}
