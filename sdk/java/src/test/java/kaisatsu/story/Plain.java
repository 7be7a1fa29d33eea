package kaisatsu.story;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kaisatsu.error.DataSetFailedException;
import kaisatsu.error.KaisatsuException;

/** Typed results as plain JSON with the names of {@code sdk/cases/README.md}. */
final class Plain {
    private Plain() {}

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return value == null ? Collections.<String, Object>emptyMap() : (Map<String, Object>) value;
    }

    static Object of(Object value) {
        if (value instanceof List) {
            List<Object> values = new ArrayList<>();
            for (Object element : (List<?>) value) {
                values.add(of(element));
            }
            return values;
        }
        if (value == null || !value.getClass().getName().startsWith("kaisatsu.")) {
            return value;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Method method : value.getClass().getMethods()) {
            String name = name(method);
            if (name != null) {
                try {
                    fields.put(name, of(method.invoke(value)));
                } catch (IllegalAccessException | InvocationTargetException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        return fields;
    }

    private static String name(Method method) {
        String name = method.getName();
        if (method.getParameterCount() > 0 || Modifier.isStatic(method.getModifiers()) || name.equals("getClass")) {
            return null;
        }
        if (name.equals("isText") || name.equals("isValid")) {
            return name; // the wire's names
        }
        for (String prefix : new String[] {"get", "is"}) {
            if (name.startsWith(prefix)) {
                return Character.toLowerCase(name.charAt(prefix.length())) + name.substring(prefix.length() + 1);
            }
        }
        return null;
    }

    static Map<String, Object> error(KaisatsuException e) {
        Map<String, Object> fields = new LinkedHashMap<>();
        String name = e.getClass().getSimpleName().replace("Exception", "");
        fields.put("type", Character.toLowerCase(name.charAt(0)) + name.substring(1));
        fields.put("status", e.getStatus() == 0 ? null : (Integer) e.getStatus());
        fields.put("code", e.getCode());
        fields.put("message", e.getMessage());
        fields.put("requestId", e.getRequestId());
        fields.put("retryAfter", e.getRetryAfter());
        if (e instanceof DataSetFailedException) {
            fields.put("dataSetId", ((DataSetFailedException) e).getDataSetId());
            fields.put("reason", ((DataSetFailedException) e).getReason());
        }
        return fields;
    }
}
