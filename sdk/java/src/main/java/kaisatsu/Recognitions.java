package kaisatsu;

import java.util.LinkedHashMap;
import java.util.Map;
import kaisatsu.http.BytesBody;
import kaisatsu.json.JsonObject;
import kaisatsu.model.Classification;
import kaisatsu.model.Detection;
import kaisatsu.model.Explanation;
import kaisatsu.model.FeedbackTotals;
import kaisatsu.model.ImageData;
import kaisatsu.model.Models;
import kaisatsu.model.Recognition;
import kaisatsu.model.SimilarImages;
import kaisatsu.model.Tag;
import kaisatsu.model.TagPage;
import kaisatsu.model.TextReading;

/** Recognition of pictures, and feedback on it. */
public final class Recognitions extends Group {
    Recognitions(Caller caller) {
        super(caller);
    }

    /** What is in the query and not in the form. */
    private static final String[] IN_QUERY = {"lati_d", "longi_d", "gcs"};

    /** Every recognition is counted and stored, so that none is sent twice. */
    private <T> T look(String operation, Picture image, Map<String, Object> fields, JsonObject.Reader<T> reader) {
        Object token = fields.remove("token");
        Call call = Call.post(RECOGNITION + operation, false).withToken(token == null ? null : token.toString());
        for (String name : IN_QUERY) {
            if (fields.containsKey(name)) {
                call.with(name, fields.remove(name));
            }
        }
        return call(call.with(form(image, fields))).read(reader);
    }

    /**
     * Says what a picture shows.
     *
     * @param image   the picture
     * @param options by which model or dataset
     * @return the categories, best first
     */
    public Classification classify(Picture image, ClassifyOptions options) {
        return look("concept/classify", image, options.values(), Classification::new);
    }

    /**
     * Says what a picture shows.
     *
     * @param image the picture
     * @return the five best categories of the general model
     */
    public Classification classify(Picture image) {
        return classify(image, new ClassifyOptions());
    }

    /**
     * Finds things in a picture.
     *
     * @param image   the picture
     * @param options how
     * @return the things, surest first
     */
    public Detection detect(Picture image, DetectOptions options) {
        return look("objectDetection/detect", image, options.values(), Detection::new);
    }

    /**
     * Finds things in a picture.
     *
     * @param image the picture
     * @return the things, surest first
     */
    public Detection detect(Picture image) {
        return detect(image, new DetectOptions());
    }

    /**
     * Searches a collection or a dataset for pictures that are alike.
     *
     * @param image   the picture
     * @param options where
     * @return the pictures, most alike first
     */
    public SimilarImages similar(Picture image, SimilarOptions options) {
        return look("similarImage/search", image, options.values(), SimilarImages::new);
    }

    /**
     * Searches a collection or a dataset for pictures that show what a text says, where the model of the collection
     * has a text encoder.
     *
     * @param text    what they show
     * @param options where
     * @return the pictures, best first
     */
    public SimilarImages similar(String text, SimilarOptions options) {
        Map<String, Object> fields = options.values();
        fields.put("text", text("text", text));
        return look("similarImage/search", null, fields, SimilarImages::new);
    }

    /**
     * Recognises items of the catalogue.
     *
     * @param image   the picture
     * @param options which kind of items
     * @return the items, surest first
     */
    public Recognition recognize(Picture image, RecognizeOptions options) {
        Call call = Call.post(RECOGNITION + "recognize", false).with(options.values());
        return call(call.with(image.content())).read(Recognition::new);
    }

    /**
     * Recognises items of the catalogue, of all kinds.
     *
     * @param image the picture
     * @return the items, surest first
     */
    public Recognition recognize(Picture image) {
        return recognize(image, new RecognizeOptions());
    }

    /**
     * Reads the text in a picture.
     *
     * @param image   the picture
     * @param options how
     * @return the lines, in reading order
     */
    public TextReading readText(Picture image, ReadTextOptions options) {
        return look("text/read", image, options.values(), TextReading::new);
    }

    /**
     * Reads the text in a picture.
     *
     * @param image the picture
     * @return the lines, in reading order
     */
    public TextReading readText(Picture image) {
        return readText(image, new ReadTextOptions());
    }

    /**
     * Says whether a whole result was right.
     *
     * @param recognitionId the recognition
     * @param isValid       whether it was right
     * @param comment       a free comment, or null
     */
    public void feedback(String recognitionId, boolean isValid, String comment) {
        feedback(recognitionId, isValid, comment, null);
    }

    /**
     * Says whether a whole result was right, and what the picture really shows.
     *
     * @param recognitionId the recognition
     * @param isValid       whether it was right
     * @param comment       a free comment, or null
     * @param tag           a tag of the model that answered, also one that is no candidate; or null
     */
    public void feedback(String recognitionId, boolean isValid, String comment, String tag) {
        Call call = Call.create(RECOGNITION + "feedback");
        call.with("recognitionId", text("recognitionId", recognitionId));
        call(call.with("isValid", isValid).with(said(comment, tag)));
    }

    /**
     * Says whether a candidate was right.
     *
     * @param recognitionId the recognition
     * @param itemId        the candidate
     * @param isValid       whether it was right
     * @param comment       a free comment, or null
     */
    public void feedbackToCandidate(String recognitionId, String itemId, boolean isValid, String comment) {
        feedbackToCandidate(recognitionId, itemId, isValid, comment, null);
    }

    /**
     * Says whether a candidate was right, and what the picture really shows.
     *
     * @param recognitionId the recognition
     * @param itemId        the candidate
     * @param isValid       whether it was right
     * @param comment       a free comment, or null
     * @param tag           a tag of the model that answered, also one that is no candidate; or null
     */
    public void feedbackToCandidate(
            String recognitionId, String itemId, boolean isValid, String comment, String tag) {
        Call call = Call.create(RECOGNITION + "feedbackToCandidate");
        call.with("recognitionId", text("recognitionId", recognitionId)).with("itemId", text("itemId", itemId));
        call(call.with("isValid", isValid).with(said(comment, tag)));
    }

    private static BytesBody said(String comment, String tag) {
        Map<String, Object> body = new LinkedHashMap<>();
        if (comment != null) {
            body.put("comment", comment);
        }
        if (tag != null) {
            body.put("tag", tag);
        }
        return BytesBody.json(body);
    }

    /**
     * Counts verdicts.
     *
     * @param query which
     * @return how often candidates were right
     */
    public FeedbackTotals feedbackTotals(FeedbackTotalsQuery query) {
        return call(Call.get(RECOGNITION + "feedbackTotals").with(query.values())).read(FeedbackTotals::new);
    }

    /**
     * Says why a recognition answered what it answered.
     *
     * @param recognitionId the recognition
     * @return its candidates, and the feedback that moved them
     */
    public Explanation explain(String recognitionId) {
        Call call = Call.get(RECOGNITION + "explain").with("recognitionId", text("recognitionId", recognitionId));
        return call(call).read(Explanation::new);
    }

    /**
     * Lists the models.
     *
     * @return the models by task
     */
    public Models models() {
        return call(Call.get(RECOGNITION + "models")).read(Models::new);
    }

    /**
     * Lists the tags that a model can answer with.
     *
     * @param name  the model
     * @param query which
     * @return a page of them
     */
    public TagPage modelTags(String name, TagQuery query) {
        return modelTags(name, query.values());
    }

    private TagPage modelTags(String name, Map<String, Object> query) {
        String path = RECOGNITION + "models/" + Call.encode(text("name", name)) + "/tags";
        return call(Call.get(path).with(query)).read(TagPage::new);
    }

    /**
     * Lists the tags that a model can answer with, all of them, page after page.
     *
     * @param name  the model
     * @param query which; its limit is the size of a page
     * @return the tags
     */
    public Iterable<Tag> eachTag(final String name, TagQuery query) {
        final Map<String, Object> values = query.values();
        return new Pages<Tag>() {
            @Override
            Page<Tag> page(Object from) {
                TagPage page = modelTags(name, at(values, "offset", from));
                return new Page<>(page.getTags(), after(page.getOffset(), page.getTags().size(), page.getMax()));
            }
        };
    }

    /**
     * Reads a small picture of an image of a collection.
     *
     * @param collection the collection
     * @param imageId    the image
     * @return the picture
     */
    public ImageData thumbnail(String collection, String imageId) {
        Call call = Call.get(RECOGNITION + "thumbnail").with("collection", text("collection", collection));
        return call(call.with("imageId", text("imageId", imageId))).image();
    }

    /**
     * Reads a small picture of an item of the catalogue.
     *
     * @param id the item
     * @return the picture
     */
    public ImageData thumbnail(String id) {
        return call(Call.get(RECOGNITION + "thumbnail").with("id", text("id", id))).image();
    }
}
