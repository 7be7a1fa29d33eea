package kaisatsu;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What changes in a dataset. What is not set stays as it is. */
public final class DataSetChanges extends Parameters<DataSetChanges> {
    /**
     * Creates one.
     */
    public DataSetChanges() {}

    /**
     * Sets it: what the user calls it from now on.
     *
     * @param name the value, or null to leave it
     * @return this
     */
    public DataSetChanges name(String name) {
        return set("name", name);
    }

    /**
     * Sets it: images to add.
     *
     * @param images the value, or null for none
     * @return this
     */
    public DataSetChanges add(List<ImageReference> images) {
        return set("add", images == null ? null : ImageReference.toJson(images));
    }

    /**
     * Sets it: images of the dataset to remove.
     *
     * @param imageIds the value, or null for none
     * @return this
     */
    public DataSetChanges remove(List<String> imageIds) {
        return set("remove", imageIds);
    }

    /**
     * Sets it: images of the dataset that get another tag.
     *
     * @param tags the new tags by the ids of the images, or null for none
     * @return this
     */
    public DataSetChanges retag(Map<String, String> tags) {
        return set("retag", pairs(tags, "imageId", "tag"));
    }

    /**
     * Sets it: tags to rename. A tag that exists already takes the images in, so that two tags can be merged.
     *
     * @param names the new names by the old ones, which are renamed one after the other, or null for none
     * @return this
     */
    public DataSetChanges renameTags(Map<String, String> names) {
        return set("renameTags", pairs(names, "from", "to"));
    }

    /**
     * Sets it: images of the dataset whose tag is right, so that its health does not list them as mislabelled any more.
     *
     * @param imageIds the value, or null for none
     * @return this
     */
    public DataSetChanges confirm(List<String> imageIds) {
        return set("confirm", imageIds);
    }

    private static List<Object> pairs(Map<String, String> values, String key, String value) {
        if (values == null) {
            return null;
        }
        List<Object> pairs = new ArrayList<>();
        for (Map.Entry<String, String> entry : values.entrySet()) {
            Map<String, Object> pair = new LinkedHashMap<>();
            pair.put(key, entry.getKey());
            pair.put(value, entry.getValue());
            pairs.add(pair);
        }
        return pairs;
    }
}
