package kaisatsu;

import java.util.LinkedHashMap;
import java.util.Map;
import kaisatsu.http.BytesBody;
import kaisatsu.model.ImageData;
import kaisatsu.model.ImagePage;
import kaisatsu.model.StoredImage;
import kaisatsu.model.UploadedImage;

/** Images of users' storage areas. */
public final class Images extends Group {
    private static final String AREA = RECOGNITION + "userCategory/";

    Images(Caller caller) {
        super(caller);
    }

    /**
     * Stores an image.
     *
     * @param token   the user's token
     * @param image   the image
     * @param options what to store with it
     * @return its id
     */
    public UploadedImage upload(String token, Picture image, UploadOptions options) {
        Call call = Call.create(AREA + "uploadImage").withToken(text("token", token));
        return call(call.with(form(image, options.values()))).read(UploadedImage::new);
    }

    /**
     * Stores an image.
     *
     * @param token the user's token
     * @param image the image
     * @param tag   what it shows
     * @return its id
     */
    public UploadedImage upload(String token, Picture image, String tag) {
        return upload(token, image, new UploadOptions().tag(tag));
    }

    /**
     * Lists a user's images.
     *
     * @param token the user's token
     * @param page  which page
     * @return a page of them
     */
    public ImagePage list(String token, PageQuery page) {
        return list(token, page.values());
    }

    private ImagePage list(String token, Map<String, Object> page) {
        Call call = Call.post(AREA + "listImages", true).withToken(text("token", token));
        return call(call.with(BytesBody.json(page))).read(ImagePage::new);
    }

    /**
     * Lists a user's images, all of them, page after page.
     *
     * @param token the user's token
     * @param page  its limit is the size of a page
     * @return the images
     */
    public Iterable<StoredImage> each(final String token, PageQuery page) {
        final Map<String, Object> values = page.values();
        return new Pages<StoredImage>() {
            @Override
            Page<StoredImage> page(Object from) {
                ImagePage here = list(token, at(values, "cursor", from));
                return new Page<>(here.getImages(), here.getNextCursor());
            }
        };
    }

    /**
     * Reads an image.
     *
     * @param token   the user's token
     * @param imageId the image
     * @param size    {@code thumbnail} for a small form of it, or null for the image as it was uploaded
     * @return the image
     */
    public ImageData get(String token, String imageId, String size) {
        Call call = Call.get(AREA + "getImage").withToken(text("token", token));
        return call(call.with("imageId", text("imageId", imageId)).with("size", size)).image();
    }

    /**
     * Reads an image as it was uploaded.
     *
     * @param token   the user's token
     * @param imageId the image
     * @return the image
     */
    public ImageData get(String token, String imageId) {
        return get(token, imageId, null);
    }

    /**
     * Deletes an image from the storage area.
     *
     * @param token   the user's token
     * @param imageId the image
     */
    public void delete(String token, String imageId) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("imageId", text("imageId", imageId));
        Call call = Call.post(AREA + "deleteImage", false).withToken(text("token", token));
        call(call.with(BytesBody.json(body)));
    }
}
