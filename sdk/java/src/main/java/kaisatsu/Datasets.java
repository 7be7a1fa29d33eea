package kaisatsu;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kaisatsu.error.DataSetFailedException;
import kaisatsu.error.TimeoutException;
import kaisatsu.http.BytesBody;
import kaisatsu.model.CreatedDataSet;
import kaisatsu.model.DataSet;
import kaisatsu.model.DataSetPage;
import kaisatsu.model.Token;

/**
 * Users' datasets: what a program teaches the engine. Wherever a {@code dataSetId} is asked for, the user's own name of
 * the dataset is taken too, as long as no other dataset of the user has it.
 */
public final class Datasets extends Group {
    private static final long FIRST_LOOK_MILLIS = 250;
    private static final long LAST_LOOK_MILLIS = 2_000;

    Datasets(Caller caller) {
        super(caller);
    }

    private static Call create(String operation, String token, Map<String, Object> body) {
        Call call = Call.create(RECOGNITION + "userCategory/" + operation);
        return call.withToken(token).with(BytesBody.json(body));
    }

    private static Call post(String operation, boolean repeatable, String token, Map<String, Object> body) {
        Call call = Call.post(RECOGNITION + "userCategory/" + operation, repeatable);
        return call.withToken(token).with(BytesBody.json(body));
    }

    private static Map<String, Object> body(String name, Object value) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put(name, value);
        return body;
    }

    /**
     * Issues a token for a user. For servers alone: a key that may do this can act as every user of the application,
     * so it must not be in an app that people have on their devices. An app asks its own server for a token, which
     * decides who the user is and calls this; see the token broker among the examples. Restricted keys, which are
     * those for apps, are refused.
     *
     * @param userId the application's own name for its user, 1 to 200 characters
     * @return the token
     */
    public Token getToken(String userId) {
        return call(post("getToken", false, null, body("userId", text("userId", userId)))).read(Token::new);
    }

    /**
     * Creates a dataset. The server builds it afterwards; see {@link #waitUntilReady(String, String)}.
     *
     * @param token  the user's token
     * @param name   what the user calls it
     * @param images what it is made of
     * @return its id
     */
    public CreatedDataSet create(String token, String name, List<ImageReference> images) {
        Map<String, Object> body = body("name", text("name", name));
        body.put("images", ImageReference.toJson(images));
        return call(create("createDataSet", text("token", token), body)).read(CreatedDataSet::new);
    }

    /**
     * Creates a dataset of all images of the user's storage area that have a tag.
     *
     * @param token the user's token
     * @param name  what the user calls it; no other dataset of the user has this name
     * @return its id
     */
    public CreatedDataSet createFromStorage(String token, String name) {
        Map<String, Object> body = body("name", text("name", name));
        body.put("from", "storage");
        return call(create("createDataSet", text("token", token), body)).read(CreatedDataSet::new);
    }

    /**
     * Looks at a dataset.
     *
     * @param token     the user's token
     * @param dataSetId the dataset
     * @param images    which of its images to answer with; a limit of 0 for none
     * @return the dataset, and a page of its images
     */
    public DataSet get(String token, String dataSetId, PageQuery images) {
        Map<String, Object> body = body("dataSetId", text("dataSetId", dataSetId));
        body.putAll(images.values());
        return call(post("getDataSet", true, text("token", token), body)).read(DataSet::new);
    }

    /**
     * Looks at a dataset.
     *
     * @param token     the user's token
     * @param dataSetId the dataset
     * @return the dataset, and its first images
     */
    public DataSet get(String token, String dataSetId) {
        return get(token, dataSetId, new PageQuery());
    }

    /**
     * Lists a user's datasets.
     *
     * @param token the user's token
     * @param page  which page
     * @return a page of them
     */
    public DataSetPage list(String token, PageQuery page) {
        return list(token, page.values());
    }

    private DataSetPage list(String token, Map<String, Object> page) {
        return call(post("listDataSets", true, text("token", token), page)).read(DataSetPage::new);
    }

    /**
     * Lists a user's datasets, all of them, page after page.
     *
     * @param token the user's token
     * @param page  its limit is the size of a page
     * @return the datasets
     */
    public Iterable<DataSet> each(final String token, PageQuery page) {
        final Map<String, Object> values = page.values();
        return new Pages<DataSet>() {
            @Override
            Page<DataSet> page(Object from) {
                DataSetPage here = list(token, at(values, "cursor", from));
                return new Page<>(here.getDataSets(), here.getNextCursor());
            }
        };
    }

    /**
     * Changes a dataset. If its images change, the server builds a new version afterwards, and the dataset answers as
     * before until that is ready; {@link DataSet#getUpdate()} says how far it is.
     *
     * @param token     the user's token
     * @param dataSetId the dataset
     * @param changes   what changes
     * @return the dataset, without its images
     */
    public DataSet update(String token, String dataSetId, DataSetChanges changes) {
        Map<String, Object> body = body("dataSetId", text("dataSetId", dataSetId));
        body.putAll(changes.values());
        return call(post("updateDataSet", false, text("token", token), body)).read(DataSet::new);
    }

    /**
     * Takes the last change of a dataset back: a version that is being built is dropped, otherwise the version before
     * answers again. Its name stays.
     *
     * @param token     the user's token
     * @param dataSetId the dataset
     * @return the dataset, without its images
     */
    public DataSet undo(String token, String dataSetId) {
        Map<String, Object> body = body("dataSetId", text("dataSetId", dataSetId));
        return call(post("undoDataSet", false, text("token", token), body)).read(DataSet::new);
    }

    /**
     * Deletes a dataset for good. Images of the user's storage area stay.
     *
     * @param token     the user's token
     * @param dataSetId the dataset
     */
    public void delete(String token, String dataSetId) {
        call(post("deleteDataSet", false, text("token", token), body("dataSetId", text("dataSetId", dataSetId))));
    }

    /**
     * Waits until a dataset is ready, for ten minutes at most.
     *
     * @param token     the user's token
     * @param dataSetId the dataset
     * @return the dataset, without its images
     * @throws DataSetFailedException if it could not be built
     */
    public DataSet waitUntilReady(String token, String dataSetId) {
        return waitUntilReady(token, dataSetId, 600_000, null);
    }

    /**
     * Waits until a dataset is ready.
     *
     * @param token         the user's token
     * @param dataSetId     the dataset
     * @param timeoutMillis how long to wait at most
     * @param progress      is told how far it is, in this thread, whenever the server was asked; or null
     * @return the dataset, without its images
     * @throws DataSetFailedException if it could not be built
     * @throws TimeoutException       if it was not ready in time
     */
    public DataSet waitUntilReady(String token, String dataSetId, long timeoutMillis, DataSetProgress progress) {
        long end = Caller.now() + timeoutMillis;
        for (long wait = FIRST_LOOK_MILLIS;; wait = Math.min(2 * wait, LAST_LOOK_MILLIS)) {
            DataSet dataSet = get(token, dataSetId, new PageQuery().limit(0));
            if (progress != null) {
                progress.onProgress(dataSet);
            }
            if (dataSet.getState().equals("ready")) {
                return dataSet;
            }
            if (dataSet.getState().equals("failed")) {
                throw new DataSetFailedException(dataSet);
            }
            if (Caller.now() + wait >= end) {
                throw new TimeoutException("the dataset " + dataSetId + " is still " + dataSet.getState(), null);
            }
            caller.sleep(wait);
        }
    }
}
