package kaisatsu.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON (RFC 8259), strictly: what a careful server never sends is refused here instead of being guessed at.
 *
 * <p>Objects become {@link Map}s in the order of the text (the last of two fields with one name counts), arrays
 * {@link List}s, both unmodifiable, whole numbers {@link Long}s, other numbers {@link Double}s.
 */
public final class JsonReader {
    /** How deep values may be nested. */
    public static final int MAX_DEPTH = 64;

    private final CharSequence text;
    private int at;

    private JsonReader(CharSequence text) {
        this.text = text;
    }

    /**
     * Reads one value from UTF-8.
     *
     * @param utf8 the whole text
     * @return the value: Map, List, String, Long, Double, Boolean or null
     * @throws JsonException if it is not JSON, or not UTF-8
     */
    public static Object read(byte[] utf8) {
        try {
            return read(StandardCharsets.UTF_8.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(utf8)));
        } catch (CharacterCodingException e) {
            throw new JsonException("the text is not UTF-8");
        }
    }

    /**
     * Reads one value.
     *
     * @param text the whole text
     * @return the value: Map, List, String, Long, Double, Boolean or null
     * @throws JsonException if it is not JSON
     */
    public static Object read(CharSequence text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value(0);
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.wrong("something follows the value");
        }
        return value;
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw wrong("values are nested deeper than " + MAX_DEPTH);
        }
        skipSpace();
        char c = peek();
        switch (c) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> fields = new LinkedHashMap<>();
        at++;
        skipSpace();
        if (peek() == '}') {
            at++;
            return Collections.unmodifiableMap(fields);
        }
        while (true) {
            skipSpace();
            if (peek() != '"') {
                throw wrong("a field's name must be a string");
            }
            String name = string();
            skipSpace();
            expect(':');
            fields.put(name, value(depth + 1));
            skipSpace();
            if (peek() == '}') {
                at++;
                return Collections.unmodifiableMap(fields);
            }
            expect(',');
        }
    }

    private List<Object> array(int depth) {
        List<Object> values = new ArrayList<>();
        at++;
        skipSpace();
        if (peek() == ']') {
            at++;
            return Collections.unmodifiableList(values);
        }
        while (true) {
            values.add(value(depth + 1));
            skipSpace();
            if (peek() == ']') {
                at++;
                return Collections.unmodifiableList(values);
            }
            expect(',');
        }
    }

    private String string() {
        at++;
        int start = at;
        while (peek() != '"' && peek() != '\\' && peek() >= ' ') {
            at++;
        }
        if (peek() == '"') {
            return text.subSequence(start, at++).toString();
        }
        StringBuilder out = new StringBuilder(text.subSequence(start, at));
        while (true) {
            char c = peek();
            at++;
            if (c == '"') {
                return out.toString();
            } else if (c == '\\') {
                out.append(escape());
            } else if (c < ' ') {
                throw wrong("a control character in a string");
            } else {
                out.append(c);
            }
        }
    }

    private char escape() {
        char c = peek();
        at++;
        switch (c) {
            case '"':
            case '\\':
            case '/':
                return c;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                int unit = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = hexDigit(peek());
                    if (digit < 0) {
                        throw wrong("an escape is not four hexadecimal digits");
                    }
                    unit = unit * 16 + digit;
                    at++;
                }
                return (char) unit;
            default:
                throw wrong("an escape that JSON does not have");
        }
    }

    private static int hexDigit(char c) {
        // Character.digit would take digits of other scripts too.
        return c < 128 ? Character.digit(c, 16) : -1;
    }

    private Object number() {
        int start = at;
        if (at < text.length() && text.charAt(at) == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits();
        }
        boolean whole = true;
        if (at < text.length() && text.charAt(at) == '.') {
            whole = false;
            at++;
            digits();
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            whole = false;
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
        }
        String digits = text.subSequence(start, at).toString();
        if (whole) {
            try {
                return Long.valueOf(digits);
            } catch (NumberFormatException e) {
                // Too large for a long: as a double, like JavaScript.
            }
        }
        double value = Double.parseDouble(digits);
        if (Double.isInfinite(value)) {
            throw wrong("a number is too large");
        }
        return value;
    }

    private void digits() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            peek(); // says so if the text ends here
            throw wrong("a value or a digit is missing");
        }
    }

    private Object word(String word, Object value) {
        for (int i = 0; i < word.length(); i++) {
            expect(word.charAt(i));
        }
        return value;
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw wrong("'" + wanted + "' is missing");
        }
        at++;
    }

    private char peek() {
        if (at >= text.length()) {
            throw new JsonException("the text ends in the middle of a value");
        }
        return text.charAt(at);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private JsonException wrong(String what) {
        return new JsonException("not JSON at character " + at + ": " + what);
    }
}
