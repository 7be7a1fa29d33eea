package kaisatsu;

import java.util.Map;
import kaisatsu.model.CollectionImage;
import kaisatsu.model.CollectionImagePage;
import kaisatsu.model.CollectionPage;
import kaisatsu.model.ImageCollection;

/** Public collections of images that can be searched for the like. For keys of operators. */
public final class Collections extends Group {
    private static final String COLLECTIONS = RECOGNITION + "similarImage/collections";

    Collections(Caller caller) {
        super(caller);
    }

    /**
     * Lists the collections.
     *
     * @param page which page
     * @return a page of them
     */
    public CollectionPage list(PageQuery page) {
        return list(page.values());
    }

    private CollectionPage list(Map<String, Object> page) {
        return call(Call.get(COLLECTIONS).with(page)).read(CollectionPage::new);
    }

    /**
     * Lists the collections, all of them, page after page.
     *
     * @param page its limit is the size of a page
     * @return the collections
     */
    public Iterable<ImageCollection> each(PageQuery page) {
        final Map<String, Object> values = page.values();
        return new Pages<ImageCollection>() {
            @Override
            Page<ImageCollection> page(Object from) {
                CollectionPage here = list(at(values, "cursor", from));
                return new Page<>(here.getCollections(), here.getNextCursor());
            }
        };
    }

    /**
     * Adds an image, or replaces the one of the same id.
     *
     * @param image the image
     * @return the collection
     */
    public ImageCollection add(NewCollectionImage image) {
        Map<String, Object> fields = image.values();
        Picture picture = (Picture) fields.remove("image");
        return call(Call.create(COLLECTIONS).with(form(picture, fields))).read(ImageCollection::new);
    }

    /**
     * Removes an image.
     *
     * @param collection the collection
     * @param imageId    the image, or null for the whole collection
     */
    public void remove(String collection, String imageId) {
        Call call = Call.delete(COLLECTIONS).with("collection", text("collection", collection));
        call(call.with("imageId", imageId));
    }

    /**
     * Lists the images of a collection.
     *
     * @param collection the collection
     * @param page       which page
     * @return a page of them
     */
    public CollectionImagePage images(String collection, PageQuery page) {
        return images(collection, page.values());
    }

    private CollectionImagePage images(String collection, Map<String, Object> page) {
        Call call = Call.get(COLLECTIONS + "/images").with("collection", text("collection", collection));
        return call(call.with(page)).read(CollectionImagePage::new);
    }

    /**
     * Lists the images of a collection, all of them, page after page.
     *
     * @param collection the collection
     * @param page       its limit is the size of a page
     * @return the images
     */
    public Iterable<CollectionImage> eachImage(final String collection, PageQuery page) {
        final Map<String, Object> values = page.values();
        return new Pages<CollectionImage>() {
            @Override
            Page<CollectionImage> page(Object from) {
                CollectionImagePage here = images(collection, at(values, "cursor", from));
                return new Page<>(here.getImages(), here.getNextCursor());
            }
        };
    }
}
