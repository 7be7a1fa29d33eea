package kaisatsu.json;

import java.util.Map;

/** Writes JSON. */
public final class JsonWriter {
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private JsonWriter() {}

    /**
     * Writes a value. Fields of objects whose value is null are left out, because the server refuses null.
     *
     * @param value Map, Iterable, CharSequence, Number, Boolean or null
     * @return its JSON
     * @throws IllegalArgumentException if there is something else in it, or a number that JSON does not have
     */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        append(out, value);
        return out.toString();
    }

    private static void append(StringBuilder out, Object value) {
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof CharSequence) {
            appendString(out, (CharSequence) value);
        } else if (value instanceof Number) {
            double number = ((Number) value).doubleValue();
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                throw new IllegalArgumentException("JSON has no number " + value);
            }
            out.append(value);
        } else if (value instanceof Map) {
            appendObject(out, (Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            char before = '[';
            for (Object element : (Iterable<?>) value) {
                append(out.append(before), element);
                before = ',';
            }
            out.append(before == '[' ? "[]" : "]");
        } else {
            throw new IllegalArgumentException("JSON has nothing for " + value.getClass().getName());
        }
    }

    private static void appendObject(StringBuilder out, Map<?, ?> fields) {
        char before = '{';
        for (Map.Entry<?, ?> field : fields.entrySet()) {
            if (field.getValue() != null) {
                appendString(out.append(before), String.valueOf(field.getKey()));
                append(out.append(':'), field.getValue());
                before = ',';
            }
        }
        out.append(before == '{' ? "{}" : "}");
    }

    private static void appendString(StringBuilder out, CharSequence text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || isLoneSurrogate(text, i)) {
                // A lone surrogate has no UTF-8; as an escape it goes over the wire unharmed.
                out.append("\\u").append(HEX[c >> 12]).append(HEX[c >> 8 & 15]).append(HEX[c >> 4 & 15])
                        .append(HEX[c & 15]);
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private static boolean isLoneSurrogate(CharSequence text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }
}
