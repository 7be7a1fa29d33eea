package kaisatsu.model;

import java.util.List;
import java.util.Map;
import kaisatsu.json.JsonObject;

/** An item of the catalogue. */
public final class Item {
    private final String id;
    private final String category;
    private final String name;
    private final List<String> barcodes;
    private final long pictures;
    private final String imageUrl;
    private final String thumbnailUrl;
    private final Map<String, Object> detail;
    private final List<Site> sites;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Item(JsonObject json) {
        this.id = json.needString("id");
        this.category = json.needString("category");
        this.name = json.needString("name");
        this.barcodes = json.strings("barcodes");
        this.pictures = json.needWhole("pictures");
        this.imageUrl = json.needString("imageUrl");
        this.thumbnailUrl = json.string("thumbnailUrl");
        this.detail = json.fields("detail");
        this.sites = json.needList("sites", Site::new);
    }

    /**
     * The operator's own id.
     *
     * @return the value
     */
    public String getId() {
        return id;
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
     * Its name.
     *
     * @return the value
     */
    public String getName() {
        return name;
    }

    /**
     * Its barcodes, thirteen digits each.
     *
     * @return an unmodifiable list
     */
    public List<String> getBarcodes() {
        return barcodes;
    }

    /**
     * How many reference pictures it has.
     *
     * @return the value
     */
    public long getPictures() {
        return pictures;
    }

    /**
     * Where its picture is found; empty when nobody has said so.
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
     * What recognitions answer as detail.
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
}
