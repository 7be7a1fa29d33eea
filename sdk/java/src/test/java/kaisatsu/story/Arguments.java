package kaisatsu.story;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kaisatsu.Parameters;
import kaisatsu.Picture;

/** The arguments of a step, turned into those of a method. Every argument must find its place. */
final class Arguments {
    /** The required arguments of methods and parameter classes, in the order in which they are taken. */
    private static final List<String> ORDER = Arrays.asList("token", "userId", "dataSetId", "recognitionId",
            "collection", "imageId", "image", "from", "to", "latitude", "longitude", "size", "id", "category", "name");

    private final Map<String, Object> left;

    Arguments(Map<String, Object> with) {
        left = new LinkedHashMap<>(with);
    }

    Object take(String name) {
        return left.remove(name);
    }

    String text(String name) {
        return (String) take(name);
    }

    boolean flag(String name) {
        return (Boolean) take(name);
    }

    Object[] values(String call, Class<?>[] types) throws ReflectiveOperationException {
        Object[] values = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            values[i] = Parameters.class.isAssignableFrom(types[i]) ? parameters(types[i]) : next(types[i]);
        }
        if (!left.isEmpty()) {
            throw new IllegalArgumentException(call + " has no place for " + left.keySet());
        }
        return values;
    }

    private Object next(Class<?> type) {
        for (String name : ORDER) {
            if (left.containsKey(name) && (type == Picture.class) == name.equals("image")) {
                return convert(take(name), type);
            }
        }
        return null;
    }

    private Object parameters(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getConstructors()[0];
        Object[] required = new Object[constructor.getParameterCount()];
        for (int i = 0; i < required.length; i++) {
            required[i] = next(constructor.getParameterTypes()[i]);
        }
        Object parameters = constructor.newInstance(required);
        for (Method method : type.getDeclaredMethods()) {
            if (left.containsKey(method.getName())) {
                method.invoke(parameters, convert(take(method.getName()), method.getParameterTypes()[0]));
            }
        }
        return parameters;
    }

    private static Object convert(Object value, Class<?> type) {
        if (type == Picture.class) {
            return Calls.picture(value);
        }
        if (value instanceof Number && type == Integer.class) {
            return ((Number) value).intValue();
        }
        if (value instanceof Number && (type == Double.class || type == double.class)) {
            return ((Number) value).doubleValue();
        }
        if (value instanceof List && !((List<?>) value).isEmpty()) {
            Object first = ((List<?>) value).get(0);
            if (first instanceof Map && Plain.object(first).containsKey("picture")) {
                List<Picture> pictures = new ArrayList<>();
                for (Object picture : (List<?>) value) {
                    pictures.add(Calls.picture(picture));
                }
                return pictures;
            }
        }
        return value;
    }
}
