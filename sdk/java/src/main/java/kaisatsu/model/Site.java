package kaisatsu.model;

import kaisatsu.json.JsonObject;

/** A page about an item. */
public final class Site {
    private final String url;
    private final String title;
    private final String imageUrl;

    /**
     * Reads it from an answer.
     *
     * @param json the object of the answer
     * @hidden
     */
    public Site(JsonObject json) {
        this.url = json.string("url");
        this.title = json.string("title");
        this.imageUrl = json.string("imageUrl");
    }

    /**
     * Its address.
     *
     * @return the value, or null when there is none
     */
    public String getUrl() {
        return url;
    }

    /**
     * Its title.
     *
     * @return the value, or null when there is none
     */
    public String getTitle() {
        return title;
    }

    /**
     * Where its picture is.
     *
     * @return the value, or null when there is none
     */
    public String getImageUrl() {
        return imageUrl;
    }
}
