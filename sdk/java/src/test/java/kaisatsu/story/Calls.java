package kaisatsu.story;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import kaisatsu.Cancellation;
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
                client.recognition().feedback(with.text("recognitionId"), with.flag("isValid"), with.text("comment"));
                return null;
            case "recognition.feedbackToCandidate":
                client.recognition().feedbackToCandidate(with.text("recognitionId"), with.text("itemId"),
                        with.flag("isValid"), with.text("comment"));
                return null;
            case "datasets.create":
                List<ImageReference> images = new ArrayList<>();
                for (Object image : (List<?>) with.take("images")) {
                    Arguments each = new Arguments(Plain.object(image));
                    images.add(ImageReference.stored(each.text("imageId"), each.text("tag")));
                }
                return client.datasets().create(with.text("token"), with.text("name"), images);
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
