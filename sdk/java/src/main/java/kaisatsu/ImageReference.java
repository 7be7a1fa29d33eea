package kaisatsu;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An image that a dataset is to be made of. */
public final class ImageReference {
    private final String field;
    private final String value;
    private final String tag;

    private ImageReference(String field, String value, String tag) {
        this.field = field;
        this.value = Group.text(field, value);
        this.tag = tag;
    }

    /**
     * An image of the user's storage area.
     *
     * @param imageId what uploading it returned
     * @param tag     what it shows, or null to keep the tag that it was uploaded with
     * @return the reference
     */
    public static ImageReference stored(String imageId, String tag) {
        return new ImageReference("imageId", imageId, tag);
    }

    /**
     * An image that the server fetches.
     *
     * @param url where it is: http or https, open to everybody
     * @param tag what it shows
     * @return the reference
     */
    public static ImageReference at(String url, String tag) {
        return new ImageReference("url", url, Group.text("tag", tag));
    }

    static List<Object> toJson(List<ImageReference> images) {
        List<Object> json = new ArrayList<>();
        for (ImageReference image : images) {
            json.add(image.toJson());
        }
        return json;
    }

    private Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put(field, value);
        json.put("tag", tag);
        return json;
    }
}
