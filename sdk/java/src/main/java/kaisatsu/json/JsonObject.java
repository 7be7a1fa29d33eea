package kaisatsu.json;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An object of an answer, read field by field. Fields that nobody asks for are ignored. A field that is absent or null
 * is null in the readers of optional values and a {@link JsonException} in those of required ones, whose names begin
 * with {@code need}.
 */
public final class JsonObject {
    private final Map<?, ?> fields;
    private final String path;

    private JsonObject(Map<?, ?> fields, String path) {
        this.fields = fields;
        this.path = path;
    }

    /**
     * Reads a value that must be an object.
     *
     * @param value what {@link JsonReader} returned
     * @return the object
     */
    public static JsonObject of(Object value) {
        return of(value, "the answer");
    }

    private static JsonObject of(Object value, String path) {
        if (!(value instanceof Map)) {
            throw new JsonException(path + " is not an object");
        }
        return new JsonObject((Map<?, ?>) value, path);
    }

    /**
     * Makes a typed value of an object.
     *
     * @param <T> what it is read as
     */
    public interface Reader<T> {
        /**
         * Reads a value.
         *
         * @param object the object
         * @return the value
         */
        T read(JsonObject object);
    }

    /**
     * Whether there is such a field, with a value.
     *
     * @param name the field
     * @return true if it is there and not null
     */
    public boolean has(String name) {
        return fields.get(name) != null;
    }

    /**
     * An optional string.
     *
     * @param name the field
     * @return its value, or null
     */
    public String string(String name) {
        Object value = fields.get(name);
        if (value != null && !(value instanceof String)) {
            throw wrong(name, "a string");
        }
        return (String) value;
    }

    /**
     * A required string.
     *
     * @param name the field
     * @return its value
     */
    public String needString(String name) {
        return present(name, string(name));
    }

    /**
     * An optional number. The route map function sends numbers as strings; both are read.
     *
     * @param name the field
     * @return its value, or null
     */
    public Double number(String name) {
        Object value = fields.get(name);
        if (value == null) {
            return null;
        }
        if (value instanceof Number) {
            return ((Number) value).doubleValue();
        }
        try {
            // JSON's own numbers only: Double.valueOf would take " 1f" and NaN.
            Object read = value instanceof String ? JsonReader.read((String) value) : null;
            if (read instanceof Number) {
                return ((Number) read).doubleValue();
            }
        } catch (JsonException e) {
            // said below
        }
        throw wrong(name, "a number");
    }

    /**
     * A required number.
     *
     * @param name the field
     * @return its value
     */
    public double needNumber(String name) {
        return present(name, number(name));
    }

    /**
     * An optional whole number.
     *
     * @param name the field
     * @return its value, or null
     */
    public Long whole(String name) {
        Double value = number(name);
        if (value == null) {
            return null;
        }
        if (value != Math.rint(value) || Math.abs(value) > 1L << 53) {
            throw wrong(name, "a whole number");
        }
        return value.longValue();
    }

    /**
     * A required whole number.
     *
     * @param name the field
     * @return its value
     */
    public long needWhole(String name) {
        return present(name, whole(name));
    }

    /**
     * An optional whole number of 32 bits.
     *
     * @param name the field
     * @return its value, or null
     */
    public Integer integer(String name) {
        Long value = whole(name);
        if (value == null) {
            return null;
        }
        if (value != value.intValue()) {
            throw wrong(name, "a whole number of 32 bits");
        }
        return value.intValue();
    }

    /**
     * A required whole number of 32 bits.
     *
     * @param name the field
     * @return its value
     */
    public int needInteger(String name) {
        return present(name, integer(name));
    }

    /**
     * A required truth value; the route map function sends strings.
     *
     * @param name the field
     * @return its value
     */
    public boolean needFlag(String name) {
        Object value = present(name, fields.get(name));
        if (value instanceof Boolean) {
            return (Boolean) value;
        }
        if ("true".equals(value) || "false".equals(value)) {
            return "true".equals(value);
        }
        throw wrong(name, "true or false");
    }

    /**
     * An optional object.
     *
     * @param name the field
     * @return the object, or null
     */
    public JsonObject object(String name) {
        Object value = fields.get(name);
        return value == null ? null : of(value, path + "." + name);
    }

    /**
     * A required object.
     *
     * @param name the field
     * @return the object
     */
    public JsonObject needObject(String name) {
        return present(name, object(name));
    }

    /**
     * An array of objects; empty when it is absent.
     *
     * @param name   the field
     * @param reader reads one of them
     * @param <T>    what they are read as
     * @return the values, in an unmodifiable list
     */
    public <T> List<T> list(String name, Reader<T> reader) {
        List<T> values = new ArrayList<>();
        for (Object element : array(name)) {
            values.add(reader.read(of(element, path + "." + name + "[" + values.size() + "]")));
        }
        return Collections.unmodifiableList(values);
    }

    /**
     * A required array of objects.
     *
     * @param name   the field
     * @param reader reads one of them
     * @param <T>    what they are read as
     * @return the values, in an unmodifiable list
     */
    public <T> List<T> needList(String name, Reader<T> reader) {
        present(name, fields.get(name));
        return list(name, reader);
    }

    /**
     * An array of strings; empty when it is absent.
     *
     * @param name the field
     * @return the strings, in an unmodifiable list
     */
    public List<String> strings(String name) {
        List<String> values = new ArrayList<>();
        for (Object element : array(name)) {
            if (!(element instanceof String)) {
                throw wrong(name, "an array of strings");
            }
            values.add((String) element);
        }
        return Collections.unmodifiableList(values);
    }

    /**
     * The fields of an object whose names are not known beforehand; empty when it is absent.
     *
     * @param name the field
     * @return the fields, unmodifiable
     */
    public Map<String, Object> fields(String name) {
        Map<String, Object> values = new LinkedHashMap<>();
        if (has(name)) {
            for (Map.Entry<?, ?> field : object(name).fields.entrySet()) {
                values.put((String) field.getKey(), field.getValue());
            }
        }
        return Collections.unmodifiableMap(values);
    }

    private List<?> array(String name) {
        Object value = fields.get(name);
        if (value == null) {
            return Collections.emptyList();
        }
        if (!(value instanceof List)) {
            throw wrong(name, "an array");
        }
        return (List<?>) value;
    }

    private <T> T present(String name, T value) {
        if (value == null) {
            throw new JsonException(path + "." + name + " is missing");
        }
        return value;
    }

    private JsonException wrong(String name, String wanted) {
        return new JsonException(path + "." + name + " is not " + wanted);
    }
}
