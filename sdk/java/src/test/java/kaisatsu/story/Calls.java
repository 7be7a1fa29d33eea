package kaisatsu.story;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import kaisatsu.Cancellation;
import kaisatsu.DataSetChanges;
import kaisatsu.ImageReference;
import kaisatsu.Kaisatsu;
import kaisatsu.Picture;
import kaisatsu.SimilarOptions;
import kaisatsu.error.KaisatsuException;

/** Calls a method of the client by the name that a step gives. */
final class Calls {
    private Calls() {}

    static Object call(Kaisatsu client, Map<String, Object> with, Map<String, Object> step) throws Exception {
        Cancellation cancellation = new Cancellation();
        if (step.containsKey("cancelAfter")) {
            new Timer(true).schedule(new TimerTask() {
                @Override
                public void run() {
                    cancellation.cancel();
                }
            }, (long) (((Number) step.get("cancelAfter")).doubleValue() * 1000));
        }
        Arguments arguments = new Arguments(with);
        String key = arguments.text("idempotencyKey");
        Kaisatsu cancellable = client.cancelledBy(cancellation);
        Kaisatsu used = key == null ? cancellable : cancellable.withIdempotencyKey(key);
        Object result = call(used, (String) step.get("call"), arguments);
        if (result instanceof Iterable && !(result instanceof List)) {
            return take((Iterable<?>) result, step.get("take"));
        }
        return Plain.of(result);
    }

    private static List<Object> take(Iterable<?> values, Object limit) {
        List<Object> taken = new ArrayList<>();
        for (Object value : values) {
            taken.add(Plain.of(value));
            if (limit != null && taken.size() == ((Number) limit).intValue()) {
                break;
            }
        }
        return taken;
    }

    private static Object call(Kaisatsu client, String name, Arguments with) throws Exception {
        switch (name) {
            case "recognition.feedback":
                client.recognition().feedback(with.text("recognitionId"), with.flag("isValid"), with.text("comment"),
                        with.text("tag"));
                return null;
            case "recognition.feedbackToCandidate":
                client.recognition().feedbackToCandidate(with.text("recognitionId"), with.text("itemId"),
                        with.flag("isValid"), with.text("comment"), with.text("tag"));
                return null;
            case "datasets.create":
                if ("storage".equals(with.take("from"))) {
                    return client.datasets().createFromStorage(with.text("token"), with.text("name"));
                }
                List<ImageReference> images = references(with.take("images"));
                return client.datasets().create(with.text("token"), with.text("name"), images);
            case "datasets.update":
                return client.datasets().update(with.text("token"), with.text("dataSetId"), changes(with));
            case "catalogue.remove":
                String barcode = with.text("barcode");
                if (barcode == null) {
                    client.catalogue().remove(with.text("id"));
                } else {
                    client.catalogue().removeByBarcode(barcode);
                }
                return null;
            case "recognition.thumbnail":
                String collection = with.text("collection");
                return collection == null ? client.recognition().thumbnail(with.text("id"))
                        : client.recognition().thumbnail(collection, with.text("imageId"));
            case "recognition.similar":
                String text = with.text("text");
                if (text == null) {
                    return reflect(client, name, with);
                }
                Object options = with.values(name, new Class<?>[] {SimilarOptions.class})[0];
                return client.recognition().similar(text, (SimilarOptions) options);
            default:
                return reflect(client, name, with);
        }
    }

    static List<ImageReference> references(Object images) {
        if (images == null) {
            return null;
        }
        List<ImageReference> references = new ArrayList<>();
        for (Object image : (List<?>) images) {
            Arguments each = new Arguments(Plain.object(image));
            String imageId = each.text("imageId");
            references.add(imageId == null ? ImageReference.at(each.text("url"), each.text("tag"))
                    : ImageReference.stored(imageId, each.text("tag")));
        }
        return references;
    }

    @SuppressWarnings("unchecked")
    static DataSetChanges changes(Arguments with) {
        return new DataSetChanges().name(with.text("name")).add(references(with.take("add")))
                .remove((List<String>) with.take("remove")).retag(pairs(with.take("retag"), "imageId", "tag"))
                .renameTags(pairs(with.take("renameTags"), "from", "to")).confirm((List<String>) with.take("confirm"));
    }

    private static Map<String, String> pairs(Object values, String key, String value) {
        if (values == null) {
            return null;
        }
        Map<String, String> pairs = new LinkedHashMap<>();
        for (Object pair : (List<?>) values) {
            pairs.put((String) Plain.object(pair).get(key), (String) Plain.object(pair).get(value));
        }
        return pairs;
    }

    /** The longest method of this name takes all arguments: first those that it needs, then an object with the rest. */
    private static Object reflect(Kaisatsu client, String name, Arguments with) throws Exception {
        int dot = name.indexOf('.');
        Object group = dot < 0 ? client : client.getClass().getMethod(name.substring(0, dot)).invoke(client);
        Method longest = null;
        for (Method method : group.getClass().getMethods()) {
            boolean sameName = method.getName().equals(name.substring(dot + 1));
            boolean waits = method.getParameterCount() > 3; // waitUntilReady with a listener
            if (sameName && !waits && (longest == null || rank(method) > rank(longest))) {
                longest = method;
            }
        }
        if (longest == null) {
            throw new NoSuchMethodException(name);
        }
        try {
            return longest.invoke(group, with.values(name, longest.getParameterTypes()));
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof KaisatsuException) {
                throw (KaisatsuException) e.getCause();
            }
            throw e;
        }
    }

    private static int rank(Method method) {
        int rank = method.getParameterCount() * 2;
        for (Class<?> type : method.getParameterTypes()) {
            rank += type.getName().startsWith("kaisatsu.") ? 1 : 0;
        }
        return rank;
    }

    static Picture picture(Object value) {
        return Picture.of(new File(Story.env("KAISATSU_PICTURES"), (String) Plain.object(value).get("picture")));
    }
}
