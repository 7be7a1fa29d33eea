package kaisatsu.story;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Paths into results, and what is expected there. */
final class Expect {
    private Expect() {}

    /** Replaces {@code $name} by what was saved under this name. */
    static Object resolve(Object value, Map<String, Object> saved) {
        if (value instanceof String && ((String) value).startsWith("$") && !((String) value).startsWith("$$")) {
            String name = ((String) value).substring(1);
            if (!saved.containsKey(name)) {
                throw new IllegalStateException(value + " was not saved");
            }
            return saved.get(name);
        }
        if (value instanceof List) {
            List<Object> values = new ArrayList<>();
            for (Object element : (List<?>) value) {
                values.add(resolve(element, saved));
            }
            return values;
        }
        if (value instanceof Map) {
            Map<String, Object> fields = new LinkedHashMap<>();
            for (Map.Entry<String, Object> field : Plain.object(value).entrySet()) {
                fields.put(field.getKey(), resolve(field.getValue(), saved));
            }
            return fields;
        }
        return value;
    }

    static Object at(Object value, String path) {
        if (path.isEmpty() || value == null) {
            return value;
        }
        int dot = path.indexOf('.');
        String name = dot < 0 ? path : path.substring(0, dot);
        String rest = dot < 0 ? "" : path.substring(dot + 1);
        if (value instanceof List) {
            List<?> list = (List<?>) value;
            if (name.equals("length")) {
                return at((long) list.size(), rest);
            }
            if (name.equals("*")) {
                List<Object> all = new ArrayList<>();
                for (Object element : list) {
                    all.add(at(element, rest));
                }
                return all;
            }
            int index = Integer.parseInt(name);
            return index < list.size() ? at(list.get(index), rest) : null;
        }
        return value instanceof Map ? at(((Map<?, ?>) value).get(name), rest) : null;
    }

    /** Returns null, or what is wrong. */
    static String compare(Map<String, Object> expected, Object result, Map<String, Object> saved) {
        for (Map.Entry<String, Object> entry : expected.entrySet()) {
            Object found = at(result, entry.getKey());
            Object wanted = entry.getValue();
            if (wanted instanceof String && ((String) wanted).startsWith("$$")) {
                wanted = at(result, ((String) wanted).substring(2));
            } else {
                wanted = resolve(wanted, saved);
            }
            if (!(wanted instanceof Map ? matches(Plain.object(wanted), found) : same(wanted, found))) {
                return entry.getKey() + " is " + found + " instead of " + wanted;
            }
        }
        return null;
    }

    private static boolean same(Object a, Object b) {
        if (a instanceof Number && b instanceof Number) {
            return ((Number) a).doubleValue() == ((Number) b).doubleValue();
        }
        return a == null ? b == null : a.equals(b);
    }

    private static boolean matches(Map<String, Object> matcher, Object found) {
        Map.Entry<String, Object> only = matcher.entrySet().iterator().next();
        Object wanted = only.getValue();
        switch (only.getKey()) {
            case "exists":
                return wanted.equals(found != null);
            case "atLeast":
                return found instanceof Number && number(found) >= number(wanted);
            case "atMost":
                return found instanceof Number && number(found) <= number(wanted);
            case "near":
                List<?> range = (List<?>) wanted;
                return found instanceof Number
                        && Math.abs(number(found) - number(range.get(0))) <= number(range.get(1));
            case "contains":
                for (String alternative : ((String) wanted).split("\\|")) {
                    if (found instanceof String && ((String) found).contains(alternative)) {
                        return true;
                    }
                }
                return false;
            case "includes":
                return found instanceof List && includes((List<?>) found, wanted);
            case "oneOf":
                return includes((List<?>) wanted, found);
            default:
                throw new IllegalArgumentException("no matcher " + only.getKey());
        }
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    private static boolean includes(List<?> list, Object value) {
        for (Object element : list) {
            if (same(element, value)) {
                return true;
            }
        }
        return false;
    }
}
