package kaisatsu;

import java.util.List;
import java.util.Map;

/** An item to add to the catalogue. It needs a picture or a barcode. */
public final class NewItem extends Parameters<NewItem> {
    /**
     * Creates one.
     *
     * @param id the operator's own id; an item of the same id is replaced
     * @param category {@code book}, {@code cd}, {@code dvd}, {@code game}, {@code software} or {@code food}
     * @param name its name
     */
    public NewItem(String id, String category, String name) {
        need("id", id);
        need("category", category);
        need("name", name);
    }

    /**
     * Sets it: its barcodes, as printed.
     *
     * @param barcodes the value, or null for the server's default
     * @return this
     */
    public NewItem barcodes(List<String> barcodes) {
        return set("barcodes", barcodes);
    }

    /**
     * Sets it: its pictures, 16 at most.
     *
     * @param images the value, or null for the server's default
     * @return this
     */
    public NewItem images(List<Picture> images) {
        return set("images", images);
    }

    /**
     * Sets it: where people find its picture.
     *
     * @param imageUrl the value, or null for the server's default
     * @return this
     */
    public NewItem imageUrl(String imageUrl) {
        return set("imageUrl", imageUrl);
    }

    /**
     * Sets it: a page about it.
     *
     * @param url the value, or null for the server's default
     * @return this
     */
    public NewItem url(String url) {
        return set("url", url);
    }

    /**
     * Sets it: pages about it, each with {@code url}, {@code title} and {@code imageUrl}.
     *
     * @param sites the value, or null for the server's default
     * @return this
     */
    public NewItem sites(List<Map<String, String>> sites) {
        return set("sites", sites);
    }

    /**
     * Sets it: whatever else is known of it, by name.
     *
     * @param details the value, or null for the server's default
     * @return this
     */
    public NewItem details(Map<String, String> details) {
        return set("details", details);
    }
}
