package kaisatsu.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void valuesOfEveryKind() {
        Map<?, ?> read = (Map<?, ?>) JsonReader.read(
                " {\"a\" : [1, -2.5, 1e3, true, false, null, \"\"], \"b\":{}, \"c\":[]} ");
        assertEquals(Arrays.asList(1L, -2.5, 1000.0, true, false, null, ""), read.get("a"));
        assertTrue(((Map<?, ?>) read.get("b")).isEmpty());
        assertTrue(((List<?>) read.get("c")).isEmpty());
    }

    @Test
    void stringsWithEscapesAndOtherScripts() {
        assertEquals("新宿 \"\\/\b\f\n\r\t é 🚃", JsonReader.read(
                "\"新宿 \\\"\\\\\\/\\b\\f\\n\\r\\t \\u00e9 \\ud83d\\ude83\""));
    }

    @Test
    void numbersAsJsonHasThem() {
        assertEquals(0L, JsonReader.read("-0"));
        assertEquals(Long.MAX_VALUE, JsonReader.read("9223372036854775807"));
        assertEquals(9223372036854775808.0, JsonReader.read("9223372036854775808"));
        assertEquals(0.1, JsonReader.read("0.1"));
        assertEquals(-1.5e-7, JsonReader.read("-1.5E-7"));
        for (String wrong : new String[] {"01", "1.", ".5", "+1", "1e", "-", "NaN", "Infinity", "0x1", "1e999", "1f"}) {
            assertThrows(JsonException.class, () -> JsonReader.read(wrong), wrong);
        }
    }

    @Test
    void whatIsNotJsonIsRefused() {
        for (String wrong : new String[] {"", " ", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "'a'", "\"a",
            "\"\n\"", "\"\\x\"", "\"\\u12g4\"", "tru", "nul",
            "{\"a\":", "[1,", "\"a\\u12", "-", "1 2", "{} x", "<html>", "[1 2]"}) {
            assertThrows(JsonException.class, () -> JsonReader.read(wrong), wrong);
        }
    }

    @Test
    void invalidUtf8IsRefused() {
        byte[][] wrong = {
            {'"', (byte) 0xff, '"'},
            {'"', (byte) 0xc0, (byte) 0x80, '"'}, // overlong
            {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'}, // a surrogate
            {'"', (byte) 0xe6, (byte) 0x96, '"'}, // cut short
        };
        for (byte[] bytes : wrong) {
            assertThrows(JsonException.class, () -> JsonReader.read(bytes));
        }
        assertEquals("駅", JsonReader.read("\"駅\"".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void nestingHasALimit() {
        assertThrows(JsonException.class, () -> JsonReader.read(nested(JsonReader.MAX_DEPTH + 2)));
        assertThrows(JsonException.class, () -> JsonReader.read(nested(1_000_000)));
        assertTrue(JsonReader.read(nested(JsonReader.MAX_DEPTH)) instanceof List);
    }

    private static String nested(int depth) {
        char[] brackets = new char[2 * depth];
        Arrays.fill(brackets, 0, depth, '[');
        Arrays.fill(brackets, depth, 2 * depth, ']');
        return new String(brackets);
    }

    @Test
    void readValuesCannotBeChanged() {
        Map<?, ?> read = (Map<?, ?>) JsonReader.read("{\"a\":[1]}");
        assertThrows(UnsupportedOperationException.class, () -> read.remove("a"));
        assertThrows(UnsupportedOperationException.class, () -> ((List<?>) read.get("a")).remove(0));
    }

    @Test
    void whatIsWrittenCanBeRead() {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("name", "\"新宿\"\u0001\\ \ud83d\ude83");
        value.put("numbers", Arrays.asList(1L, 2.5));
        value.put("none", null);
        String json = JsonWriter.write(value);
        assertEquals("{\"name\":\"\\\"新宿\\\"\\u0001\\\\ \ud83d\ude83\",\"numbers\":[1,2.5]}", json);
        value.remove("none");
        assertEquals(value, JsonReader.read(json));
        assertEquals("\"\\ud83d\"", JsonWriter.write("\ud83d"));
        assertThrows(IllegalArgumentException.class, () -> JsonWriter.write(Double.NaN));
    }

    @Test
    void numbersOfTheRouteMapAreStringsOnTheWire() {
        JsonObject json = JsonObject.of(JsonReader.read(
                "{\"x\":\"-73.5\",\"n\":\"12\",\"t\":\"true\",\"bad\":\"1f\",\"half\":0.5,\"large\":5000000000}"));
        assertEquals(-73.5, json.needNumber("x"));
        assertEquals(12, json.needInteger("n"));
        assertTrue(json.needFlag("t"));
        assertNull(json.number("absent"));
        assertThrows(JsonException.class, () -> json.number("bad"));
        assertThrows(JsonException.class, () -> json.needInteger("half"));
        assertThrows(JsonException.class, () -> json.needInteger("large"));
        assertEquals(5_000_000_000L, json.needWhole("large"));
        JsonException missing = assertThrows(JsonException.class, () -> json.needString("name"));
        assertEquals("the answer.name is missing", missing.getMessage());
    }
}
