package kaisatsu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import kaisatsu.json.JsonReader;
import org.junit.jupiter.api.Test;

/** No operation of the server is forgotten, and the version is the same everywhere. */
class OperationsTest {
    private static final Path ROOT = Paths.get("../..");

    private static List<?> operations() throws IOException {
        return (List<?>) JsonReader.read(Files.readAllBytes(ROOT.resolve("sdk/cases/operations.json")));
    }

    @Test
    void everyOperationOfTheDocumentHasAName() throws IOException {
        TreeSet<String> documented = new TreeSet<>();
        Map<?, ?> document = (Map<?, ?>) JsonReader.read(Files.readAllBytes(ROOT.resolve("web/openapi/api.json")));
        for (Object path : ((Map<?, ?>) document.get("paths")).values()) {
            for (Object operation : ((Map<?, ?>) path).values()) {
                if (operation instanceof Map) {
                    documented.add((String) ((Map<?, ?>) operation).get("operationId"));
                }
            }
        }
        TreeSet<String> named = new TreeSet<>();
        for (Object operation : operations()) {
            named.add((String) ((Map<?, ?>) operation).get("operationId"));
        }
        assertEquals(documented, named);
    }

    @Test
    void everyNameHasAMethod() throws Exception {
        List<String> missing = new ArrayList<>();
        for (Object entry : operations()) {
            Map<?, ?> operation = (Map<?, ?>) entry;
            String group = (String) operation.get("group");
            Class<?> type = group.isEmpty() ? Kaisatsu.class : Kaisatsu.class.getMethod(group).getReturnType();
            for (String name : new String[] {"name", "each"}) {
                if (operation.containsKey(name) && !has(type, (String) operation.get(name))) {
                    missing.add(group + "." + operation.get(name));
                }
            }
        }
        assertTrue(missing.isEmpty(), missing.toString());
    }

    private static boolean has(Class<?> type, String name) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void oneVersion() throws IOException {
        String version = text("sdk/VERSION").trim();
        assertEquals(version, Version.NUMBER);
        assertTrue(text("sdk/java/pom.xml").contains("<version>" + version + "</version>\n  <packaging>"));
    }

    private static String text(String file) throws IOException {
        return new String(Files.readAllBytes(ROOT.resolve(file)), StandardCharsets.UTF_8);
    }
}
